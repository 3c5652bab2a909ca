// What is measured at which size, and what the figures have to reach: `peer` at least so many times
// chatwire's time, `floor` at most so many times the floor's. Where one target is named for both
// engines it is the same for both.

const text = (size) => ({ make: "text", size });

/** @type {{ name: string, what: string, load: object, delivery: "reads" | "events", peer?: { node: number, chromium: number }, floor?: number, isFull?: boolean, peerSitsOut?: boolean }[]} */
export const comparisons = [
  { name: "W1", what: "30 text deltas, warm", load: text({ deltas: 30 }), delivery: "reads" },
  ...["W2", "W3", "W5"].flatMap((name) => {
    const size = { W2: { deltas: 2000 }, W3: { deltas: 50_000 }, W5: { deltas: 2000, history: 400 } }[name];
    const what = { W2: "2,000 text deltas", W3: "50,000 text deltas", W5: "W2 behind 400 messages" }[name];
    return [
      { name, what, load: text(size), delivery: "reads", peer: { chromium: 80, node: 60 }, floor: 0.6 },
      { name, what, load: text(size), delivery: "events", peer: { chromium: 13, node: 10 }, floor: 1.1, isFull: name !== "W2" },
    ];
  }),
  {
    name: "W4/10",
    what: "30 KB tool input",
    load: { make: "toolInput", size: { bytes: 30_000 } },
    delivery: "reads",
    peer: { chromium: 300, node: 300 },
  },
  {
    name: "W4/10",
    what: "30 KB tool input",
    load: { make: "toolInput", size: { bytes: 30_000 } },
    delivery: "events",
    peer: { chromium: 100, node: 100 },
    isFull: true,
  },
  {
    name: "W4",
    what: "300 KB tool input",
    load: { make: "toolInput", size: { bytes: 300_000 } },
    delivery: "reads",
    floor: 1.5,
    peerSitsOut: true,
  },
  {
    name: "W6",
    what: "40 steps of an agent",
    load: { make: "agent", size: { steps: 40 } },
    delivery: "reads",
    peer: { chromium: 25, node: 18 },
    floor: 1.3,
  },
  {
    name: "W8/10",
    what: "200 tool parts, 200 deltas",
    load: { make: "toolParts", size: { tools: 200, deltas: 200 } },
    delivery: "reads",
  },
  {
    name: "W8",
    what: "2,000 tool parts, 2,000 deltas",
    load: { make: "toolParts", size: { tools: 2000, deltas: 2000 } },
    delivery: "reads",
    peer: { chromium: 300, node: 300 },
    floor: 1.2,
    isFull: true,
  },
];

/** A first run in a fresh page: the peer takes at least so many times as long. */
export const FIRST_RUN_TARGET = 4;

/** An event costs at most so many times as much among eight times as many. */
export const GROWTH_TARGET = 1.5;

/** Pairs of sizes, the second with eight times the events of the first. */
export const growths = [
  { name: "W2", loads: [text({ deltas: 2000 }), text({ deltas: 16_000 })] },
  { name: "W5", loads: [text({ deltas: 2000, history: 400 }), text({ deltas: 16_000, history: 400 })] },
  {
    name: "W4",
    loads: [37_500, 300_000].map((bytes) => ({ make: "toolInput", size: { bytes } })),
  },
  { name: "W6", loads: [5, 40].map((steps) => ({ make: "agent", size: { steps } })) },
  {
    name: "W8",
    loads: [500, 4000].map((deltas) => ({ make: "toolParts", size: { tools: 2000, deltas } })),
  },
  { name: "data parts", loads: [625, 5000].map((parts) => ({ make: "dataParts", size: { parts } })) },
];

/** A flush costs at most so many microseconds more for each thousand of messages or parts. */
export const FLUSH_TARGET = 1.5;

/** The same events in small and in large surroundings; `more` is the difference in thousands. */
export const flushes = [
  { name: "messages", more: 4, loads: [text({ deltas: 4000 }), text({ deltas: 4000, history: 4000 })] },
  {
    name: "parts",
    more: 4,
    loads: [0, 4000].map((tools) => ({ make: "toolParts", size: { tools, deltas: 4000 } })),
  },
];

/** Memory grows by no more than the peer's. */
export const memories = [
  { name: "W3", load: { ...text({ deltas: 50_000 }), delivery: "reads" } },
  { name: "W4/10", load: { make: "toolInput", size: { bytes: 30_000 }, delivery: "reads" } },
  { name: "W5", load: { ...text({ deltas: 2000, history: 400 }), delivery: "reads" } },
  { name: "W6", load: { make: "agent", size: { steps: 40 }, delivery: "reads" } },
];
