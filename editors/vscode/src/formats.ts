// What a profile can be exported as.

/** What `costline.export` writes. */
export const FORMATS: readonly { readonly format: string; readonly description: string; readonly extension: string }[] = [
  { format: "firefox", description: "for profiler.firefox.com", extension: "json" },
  { format: "speedscope", description: "for speedscope.app", extension: "speedscope.json" },
  { format: "pprof", description: "for pprof and Go's tools", extension: "pb.gz" },
  { format: "callgrind", description: "for KCachegrind", extension: "callgrind" },
  { format: "flamegraph", description: "a picture to click into", extension: "svg" },
  { format: "folded", description: "a line per stack", extension: "folded" },
  { format: "flamechart", description: "a line per call, in order of time", extension: "flamechart" },
];
