// How to record a profile with lines, by language: the commands of the README.

export interface Recipe {
  /** The name of the profiler. */
  readonly tool: string;
  /** Identifiers that VS Code has for languages. */
  readonly languages: readonly string[];
  readonly command: string;
  readonly note?: string;
}

const NATIVE = ["rust", "c", "cpp", "zig", "swift", "d", "nim", "fortran-modern"];

export const RECIPES: readonly Recipe[] = [
  { tool: "samply", languages: NATIVE, command: "samply record --save-only -o profile.json.gz -- PROGRAM", note: "built with debug info (-g; Rust: debug = \"line-tables-only\")" },
  { tool: "perf", languages: NATIVE, command: "perf record --call-graph dwarf -- PROGRAM", note: "built with debug info" },
  { tool: "callgrind", languages: NATIVE, command: "valgrind --tool=callgrind PROGRAM", note: "built with debug info; exact counts" },
  { tool: "DHAT", languages: NATIVE, command: "valgrind --tool=dhat PROGRAM", note: "heap allocations; built with debug info" },
  { tool: "py-spy", languages: ["python"], command: "py-spy record -f speedscope --full-filenames -o p.speedscope.json -- python3 app.py" },
  { tool: "austin", languages: ["python"], command: "austin -b -o app.mojo python3 app.py" },
  { tool: "Node.js", languages: ["javascript", "typescript", "javascriptreact", "typescriptreact"], command: "node --cpu-prof app.js" },
  { tool: "Node.js, heap", languages: ["javascript", "typescript", "javascriptreact", "typescriptreact"], command: "node --heap-prof app.js", note: "allocations by function" },
  { tool: "Go", languages: ["go"], command: "go test -bench . -cpuprofile cpu.prof" },
  { tool: "rbspy", languages: ["ruby"], command: "rbspy record --raw-file rbspy.raw.gz -- ruby app.rb" },
];

/** All recipes, those of a language first. */
export function recipesFor(language: string | undefined): Recipe[] {
  const fits = (recipe: Recipe): boolean => language !== undefined && recipe.languages.includes(language);
  return [...RECIPES.filter(fits), ...RECIPES.filter((recipe) => !fits(recipe))];
}
