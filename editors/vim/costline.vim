" Runs Costline with vim-lsp. Needs Vim 9.0.0167 or newer, for text at the ends of lines. Save this as
" ~/.vim/plugin/costline.vim. vim-lsp asks only the server that was registered first for hints, so source this file before
" other servers are registered.

let g:lsp_inlay_hints_enabled = 1

augroup costline
  autocmd!
  autocmd User lsp_setup call lsp#register_server({
        \ 'name': 'costline',
        \ 'cmd': {server_info -> ['costline', 'lsp']},
        \ 'allowlist': ['*'],
        \ 'root_uri': {server_info -> lsp#utils#path_to_uri(lsp#utils#find_nearest_parent_file_directory(
        \   lsp#utils#get_buffer_path(), ['.costline/', '.git/', '.hg/', 'Cargo.toml', 'package.json', 'tsconfig.json', 'go.mod',
        \   'pyproject.toml', 'setup.py', 'requirements.txt', 'Gemfile', 'CMakeLists.txt', 'meson.build', 'Makefile',
        \   'pom.xml', 'build.gradle', 'composer.json']))},
        \ 'workspace_config': {'costline': {}},
        \ })
augroup END

function! s:run(command, arguments, Then) abort
  call lsp#send_request('costline', {
        \ 'method': 'workspace/executeCommand',
        \ 'params': {'command': a:command, 'arguments': a:arguments},
        \ 'on_notification': {data -> has_key(data.response, 'error')
        \   ? execute('echoerr data.response.error.message', '') : a:Then(data.response.result)},
        \ })
endfunction

" Lists the hottest functions in the quickfix list.
function! s:hotspots(result) abort
  " Without a profile, there is no response.
  let l:functions = type(a:result) == v:t_dict ? get(a:result, 'functions', []) : []
  let l:rows = filter(copy(l:functions), 'type(v:val.uri) == v:t_string')
  if empty(l:rows)
    echo 'Costline: no function in the sources has costs.'
    return
  endif
  call setqflist([], ' ', {'title': 'Costline: hot spots', 'items': map(l:rows, {_, row -> {
        \ 'filename': lsp#utils#uri_to_path(row.uri), 'lnum': row.line0 + 1, 'text': row.text . '  ' . row.name}})})
  copen
endfunction

function! s:explain(result) abort
  echo a:result.message
endfunction

command! CostlineHotspots call s:run('costline.hotspots', [{'by': 'function'}], function('s:hotspots'))
command! CostlineReload call s:run('costline.reload', [], {_ -> 0})
command! CostlineFlamegraph call s:run('costline.flamegraph', [], {result -> execute('echo result.path', '')})
command! CostlineExplain call s:run('costline.explain',
      \ [{'uri': lsp#utils#path_to_uri(expand('%:p')), 'line': line('.') - 1}], function('s:explain'))
