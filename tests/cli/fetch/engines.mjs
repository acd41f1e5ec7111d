// Servers that speak the API of an engine, for tests/cli and tests/editors, with messages that are not those of the client: `node engines.mjs PACKAGES ENGINE
// PROFILE`, where PROFILE is a file, or a folder of files for `s3`. The first line of the output is the port; then comes one line of JSON per request.
import {createHash, createHmac} from 'node:crypto';
import {createServer} from 'node:http';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire, register} from 'node:module';
import {gzipSync, gunzipSync} from 'node:zlib';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const [packages, engine, profile] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const say = (it) => console.log(JSON.stringify(it, (_, value) => (typeof value === 'bigint' ? Number(value) : value)));

const TYPES = ['process_cpu:cpu:nanoseconds:cpu:nanoseconds', 'memory:inuse_space:bytes:space:bytes'];
const SETS = [
  {service_name: 'shop', pod: 'a', service_git_ref: process.env.REVISION, service_repository: 'https://example.com/me/shop', __type__: 'x'},
  {service_name: 'shop', pod: 'b', service_git_ref: process.env.REVISION, service_repository: 'https://example.com/me/shop', __type__: 'x'},
].map((set) => Object.entries(set).map(([name, value]) => ({name, value: value ?? ''})));
const VALUES = {service_name: ['pay', 'shop'], pod: ['a', 'b']};

// Whether a request is for a range of time that has an older profile.
const isEarlier = ({end}) => process.env.EARLIER !== undefined && end < Date.now() - 3_600_000;

function pyroscope() {
  const protobuf = require('protobufjs');
  const {root} = protobuf.parse(readFileSync(new URL('pyroscope.proto', import.meta.url), 'utf8'), {keepCase: true});
  const type = (name) => root.lookupType(name);
  const methods = {
    SelectMergeProfile: ['MergeRequest', null, (request) => (request.label_selector.includes('nobody') ? Buffer.alloc(0) : gunzipSync(readFileSync(isEarlier(request) ? process.env.EARLIER : profile)))],
    SelectSeries: ['StripRequest', 'StripResponse', ({start}) => ({series: [{points: [{value: 3, timestamp: Number(start)}, {value: 4, timestamp: Number(start) + 3_599_999}]}]})],
    Series: ['SeriesRequest', 'SeriesResponse', () => ({labels_set: SETS.map((labels) => ({labels}))})],
    ProfileTypes: ['TypesRequest', 'TypesResponse', () => ({types: TYPES.map((id) => ({id}))})],
    LabelNames: ['NamesRequest', 'Names', () => ({names: ['__type__', ...Object.keys(VALUES)]})],
    LabelValues: ['ValuesRequest', 'Names', ({name}) => ({names: VALUES[name]})],
  };
  return (request, body, response) => {
    const [service, method] = request.url.slice(1).split('/');
    const known = service === 'querier.v1.QuerierService' && request.headers['content-type'] === 'application/proto' && methods[method];
    if (!known) return response.writeHead(415).end();
    const [asked, answered, answer] = known;
    const message = type(asked).toObject(type(asked).decode(body), {longs: Number});
    say({method, tenant: request.headers['x-scope-orgid'], ...message});
    if (message.label_selector?.includes('bad')) {
      return response.writeHead(400, {'content-type': 'application/json'}).end(JSON.stringify({code: 'invalid_argument', message: 'parse error: unexpected "bad"'}));
    }
    const content = answer(message);
    response.writeHead(200, {'content-type': 'application/proto'}).end(answered ? type(answered).encode(content).finish() : content);
  };
}

// The messages that Parca publishes are modules for bundlers, which leave out the ends of names.
async function parca() {
  const hook = `export const resolve = (name, context, next) => next(name, context).catch(() => next(name + '.js', context));`;
  register('data:text/javascript,' + encodeURIComponent(hook));
  const client = await import(pathToFileURL(join(packages, 'node_modules/@parca/client/dist/parca/query/v1alpha1/query.js')));
  const of = (name) => client[name] ?? (() => { throw new Error(`no ${name}`); })();
  const time = (ms) => ({seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1e6});
  const methods = {
    Query: ['QueryRequest', 'QueryResponse', () => ({report: {oneofKind: 'pprof', pprof: gzipSync(gunzipSync(readFileSync(profile)))}, total: 0n, filtered: 0n})],
    QueryRange: ['QueryRangeRequest', 'QueryRangeResponse', ({start}) => ({
      series: SETS.map((labels, i) => ({
        labelset: {labels},
        samples: [0, 1].map((n) => ({timestamp: time(Number(start.seconds) * 1000 + 60_000 * n), value: BigInt(10 * i + n), valuePerSecond: 0, duration: 0n, count: i + 1})),
      })),
    })],
    ProfileTypes: ['ProfileTypesRequest', 'ProfileTypesResponse', () => ({types: [{name: 'parca_agent', sampleType: 'samples', sampleUnit: 'count', periodType: 'cpu', periodUnit: 'nanoseconds', delta: true}]})],
    Labels: ['LabelsRequest', 'LabelsResponse', () => ({labelNames: Object.keys(VALUES), warnings: []})],
    Values: ['ValuesRequest', 'ValuesResponse', ({labelName}) => ({labelValues: VALUES[labelName], warnings: []})],
  };
  const frame = (flags, content) => {
    const header = Buffer.alloc(5);
    header[0] = flags;
    header.writeUInt32BE(content.length, 1);
    return Buffer.concat([header, content]);
  };
  return (request, body, response) => {
    const [api, service, method] = request.url.slice(1).split('/');
    const known = api === 'api' && service === 'parca.query.v1alpha1.QueryService' && request.headers['content-type'] === 'application/grpc-web+proto' && methods[method];
    if (!known || body[0] !== 0 || body.readUInt32BE(1) !== body.length - 5) return response.writeHead(415).end();
    const [asked, answered, answer] = known;
    const message = of(asked).fromBinary(body.subarray(5));
    say({method, tenant: request.headers.projectid, ...message});
    const headers = {'content-type': 'application/grpc-web+proto'};
    const query = message.query ?? message.options?.merge?.query ?? '';
    if (query.includes('bad')) return response.writeHead(200, {...headers, 'grpc-status': '3', 'grpc-message': 'unknown%20label'}).end();
    const content = frame(0, Buffer.from(of(answered).toBinary(of(answered).create(answer(message)))));
    response.writeHead(200, headers).end(Buffer.concat([content, frame(0x80, Buffer.from('grpc-status:0\r\n'))]));
  };
}

// A bucket of an object store, by the documentation of S3: lists come in pages, and requests are signed (AWS4-HMAC-SHA256).
function s3() {
  const keys = readdirSync(profile, {recursive: true, withFileTypes: true}).filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name).slice(profile.length + 1)).sort();
  const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
  const isSigned = (request, url) => {
    const query = [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature');
    const [id, date, region, service, end] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
    if (!end) return false;
    const canonical = [
      request.method,
      decodeURIComponent(url.pathname).split('/').map(encode).join('/'),
      query.map(([name, value]) => `${encode(name)}=${encode(value)}`).sort().join('&'),
      `host:${request.headers.host}\n`,
      'host',
      'UNSIGNED-PAYLOAD',
    ].join('\n');
    const scope = [date, region, service, end].join('/');
    const text = ['AWS4-HMAC-SHA256', url.searchParams.get('X-Amz-Date'), scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
    const key = [date, region, service, end].reduce(hmac, `AWS4${process.env.SECRET}`);
    return id === process.env.ID && hmac(key, text).toString('hex') === url.searchParams.get('X-Amz-Signature');
  };
  return (request, _, response) => {
    const url = new URL(request.url, 'http://host');
    if (process.env.ID && !isSigned(request, url)) {
      return response.writeHead(403, {'content-type': 'application/xml'}).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    }
    const [bucket, ...path] = decodeURIComponent(url.pathname).slice(1).split('/');
    if (bucket !== 'fleet') return response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    const key = path.join('/');
    if (key) return response.writeHead(200).end(readFileSync(join(profile, key)));
    const after = url.searchParams.get('continuation-token') ?? '';
    const all = keys.filter((key) => key.startsWith(url.searchParams.get('prefix') ?? '') && key > after);
    const page = all.slice(0, 400);
    const next = all.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const contents = page.map((key) => `<Contents><Key>${encode(key).replaceAll('%2F', '/').replaceAll('%20', '+')}</Key></Contents>`).join('');
    say({listed: page.length});
    response.writeHead(200, {'content-type': 'application/xml'}).end(`<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>${contents}${next}</ListBucketResult>`);
  };
}

const answer = await {pyroscope, parca, s3}[engine]();
const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => answer(request, Buffer.concat(parts), response));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
// Whoever started it holds the other end.
process.stdin.resume().on('end', () => process.exit());
