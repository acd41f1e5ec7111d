" Costs of hot lines by ALE, as virtual text. Copy this to ~/.vim/after/plugin/, and set the languages.
" Other linters must be in g:ale_linters before: a language with an entry there has only those.
let g:ale_virtualtext_cursor = 'all'
let g:ale_virtualtext_prefix = ''
" ALE takes all diagnostics of servers for warnings. Costs are none, so the code keeps its colors.
let g:ale_type_map = extend(get(g:, 'ale_type_map', {}), {'costline': {'W': 'I'}})
highlight ALEInfo term=NONE cterm=NONE gui=NONE
highlight link ALEVirtualTextInfo Comment
highlight link ALEInfoSign LineNr
let g:ale_linters = get(g:, 'ale_linters', {})

for s:language in ['c', 'cpp', 'go', 'javascript', 'python', 'ruby', 'rust', 'typescript']
  let g:ale_linters[s:language] = get(g:ale_linters, s:language, []) + ['costline']
  call ale#linter#Define(s:language, {
  \   'name': 'costline',
  \   'lsp': 'stdio',
  \   'executable': 'costline',
  \   'command': '%e lsp',
  \   'project_root': {buffer -> getcwd()},
  \   'initialization_options': {'diagnostics': {'enable': v:true}},
  \ })
endfor
