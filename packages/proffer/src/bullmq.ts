export type { BullmqQueue, BullmqWorker } from "./nodes/bullmq/bullmq.ts";
export { type BullmqOptions, bullmq } from "./nodes/bullmq/bullmq.ts";
export { StoreUnavailable } from "./nodes/ports.ts";
