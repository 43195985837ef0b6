/** Faults in the memory of one process, where every operation of a port is a moment at which a node may fail. */
export const MEMORY_SCENARIOS = [
  {
    id: "F1",
    title: "crash among the first operations of a node",
    plan: (random) => ({ crashAfter: 2 + random.below(30) }),
  },
  {
    id: "F2",
    title: "crash at any operation",
    plan: (random) => ({ crashAfter: random.below(200) }),
  },
  { id: "F3", title: "freeze, and continue after others took over", freezes: true },
  {
    id: "F7",
    title: "lost requests and replies of the store and the queue",
    // With the larger share, a write fails several times in a row, and the engine pauses before each repetition.
    plan: (random) => ({ loss: random.pick([0.02, 0.3]) }),
  },
  {
    id: "F10",
    title: "wake-ups twice, late, or never",
    queue: { repeats: 0.4, lost: 0.2 },
  },
  {
    id: "F11",
    title: "three clients answer at once, nodes crash",
    clients: 3,
    plan: (random) => ({ crashAfter: random.below(300) }),
  },
];
