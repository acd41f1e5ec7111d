// Writes ../lsp.schema.json from the types in lsp.ts.

import { writeFileSync } from 'node:fs'
import { createGenerator } from 'ts-json-schema-generator'

const { definitions } = createGenerator({
  path: 'lsp.ts',
  tsconfig: 'tsconfig.json',
  type: 'Lsp',
  jsDoc: 'none',
}).createSchema('Lsp')

// TypeScript has one number type. The protocol has only integers, except in colours, which are not used here.
// In draft 4 a number written as 1.0 is no integer, as in strict clients. It has no `const`.
const whole = (type) => (type === 'number' ? 'integer' : type)
const restrict = (schema) => {
  if (schema === null || typeof schema !== 'object') return
  if (typeof schema.type === 'string') schema.type = whole(schema.type)
  else if (Array.isArray(schema.type)) schema.type = schema.type.map(whole)
  if ('const' in schema) {
    schema.enum = [schema.const]
    delete schema.const
  }
  Object.values(schema).forEach(restrict)
}
if (definitions.decimal) throw new Error('decimal numbers are among the messages')
restrict(definitions)
definitions.integer = { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
definitions.uinteger = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 }

const lines = Object.entries(definitions).map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`)
writeFileSync('../lsp.schema.json', `{"$schema":"http://json-schema.org/draft-04/schema#","definitions":{\n${lines.join(',\n')}\n}}\n`)
