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

let s:markers = ['.costline', '.git', '.hg', 'Cargo.toml', 'package.json', 'tsconfig.json', 'go.mod', 'pyproject.toml', 'setup.py',
\ 'requirements.txt', 'Gemfile', 'CMakeLists.txt', 'meson.build', 'Makefile', 'pom.xml', 'build.gradle', 'composer.json']

" The nearest folder above a file with a marker, else the current folder if it contains the file, else the file's folder. The
" home folder is no project.
function! s:project(buffer) abort
  let l:home = expand('~')
  let l:folder = expand('#' . a:buffer . ':p:h')
  let l:above = l:folder
  while l:above !=# l:home && l:above !=# fnamemodify(l:above, ':h')
    if !empty(filter(copy(s:markers), {_, marker -> !empty(getftype(l:above . '/' . marker))}))
      return l:above
    endif
    let l:above = fnamemodify(l:above, ':h')
  endwhile
  return getcwd() !=# l:home && stridx(l:folder . '/', getcwd() . '/') == 0 ? getcwd() : l:folder
endfunction

for s:language in ['c', 'cpp', 'go', 'javascript', 'python', 'ruby', 'rust', 'typescript']
  let g:ale_linters[s:language] = get(g:ale_linters, s:language, []) + ['costline']
  call ale#linter#Define(s:language, {
  \   'name': 'costline',
  \   'lsp': 'stdio',
  \   'executable': 'costline',
  \   'command': '%e lsp',
  \   'project_root': function('s:project'),
  \   'initialization_options': {'diagnostics': {'enable': v:true}},
  \ })
endfor
