// Commands that record a profile, by language. They are also in `docs/recording`, which a test checks.

export interface Recipe {
  /** The name of the profiler. */
  readonly tool: string;
  /** The name of its page in docs/recording. */
  readonly page: string;
  /** Language identifiers of VS Code. */
  readonly languages: readonly string[];
  readonly command: string;
  readonly note?: string;
}

const NATIVE = ["rust", "c", "cpp", "zig", "swift", "d", "nim", "fortran-modern"];
const SCRIPT = ["javascript", "typescript", "javascriptreact", "typescriptreact"];

export const RECIPES: readonly Recipe[] = [
  { tool: "samply", page: "samply", languages: NATIVE, command: "samply record --save-only -o profile.json.gz -- ./app", note: "built with debug info (-g; Rust: debug = \"line-tables-only\")" },
  { tool: "perf", page: "perf", languages: NATIVE, command: "perf record --call-graph dwarf -F 999 -- ./app", note: "built with debug info" },
  { tool: "callgrind", page: "callgrind", languages: NATIVE, command: "valgrind --tool=callgrind ./app", note: "built with debug info; exact counts" },
  { tool: "DHAT", page: "dhat", languages: NATIVE, command: "valgrind --tool=dhat --num-callers=500 ./app", note: "heap allocations; built with debug info" },
  { tool: "py-spy", page: "py-spy", languages: ["python"], command: "py-spy record -f speedscope --full-filenames -o profile.speedscope.json -- python3 app.py" },
  { tool: "Austin", page: "austin", languages: ["python"], command: "austin -b -t 5s -o profile.mojo python3 app.py" },
  { tool: "Node.js", page: "node", languages: SCRIPT, command: "node --cpu-prof app.js" },
  { tool: "Node.js, heap", page: "node", languages: SCRIPT, command: "node --heap-prof --heap-prof-interval=8192 app.js", note: "allocations by function" },
  { tool: "Go", page: "go", languages: ["go"], command: "go test -bench . -cpuprofile cpu.prof" },
  { tool: "stackprof", page: "stackprof", languages: ["ruby"], command: "ruby -rstackprof -e 'StackProf.run(mode: :wall, raw: true, interval: 1000, out: \"stackprof.dump\") { load \"./app.rb\" }' && stackprof --json stackprof.dump > stackprof.json" },
  { tool: "rbspy", page: "rbspy", languages: ["ruby"], command: "rbspy record --format speedscope --file profile.speedscope.json --raw-file rbspy.raw.gz -- ruby app.rb", note: "functions only" },
  { tool: "Flight Recorder", page: "java", languages: ["java", "kotlin", "scala"], command: "java -XX:StartFlightRecording=filename=app.jfr,settings=profile -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints App" },
  { tool: "Rprof", page: "r", languages: ["r"], command: "Rscript -e 'options(keep.source = TRUE)' -e 'Rprof(\"Rprof.out\", interval = 0.01, line.profiling = TRUE)' -e 'source(\"app.R\")' -e 'Rprof(NULL)'" },
  { tool: "Mercury's deep profiler", page: "mercury", languages: ["mercury"], command: "MERCURY_OPTIONS=--deep-std-name ./app", note: "built with mmc --make --deep-profiling; exact counts" },
];

/** All recipes, those of a language first. */
export function recipesFor(language: string | undefined): Recipe[] {
  const fits = (recipe: Recipe): boolean => language !== undefined && recipe.languages.includes(language);
  return [...RECIPES.filter(fits), ...RECIPES.filter((recipe) => !fits(recipe))];
}
