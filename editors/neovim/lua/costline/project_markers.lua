--- Files and folders that mark the top folder of a project.
--- Generated from the types of the server; `UPDATE_EXPECT=1 cargo test` rewrites it.

return {
  ".costline",
  ".git",
  ".hg",
  "Cargo.toml",
  "package.json",
  "tsconfig.json",
  "go.mod",
  "pyproject.toml",
  "setup.py",
  "requirements.txt",
  "Gemfile",
  "CMakeLists.txt",
  "meson.build",
  "Makefile",
  "pom.xml",
  "build.gradle",
  "composer.json",
}
