export { type BullmqOptions, bullmq } from "./nodes/bullmq/bullmq.ts";
export type { BullmqJob, BullmqQueue, BullmqWorker } from "./nodes/bullmq/library.ts";
export { StoreUnavailable, type UnavailableReason } from "./nodes/unavailable.ts";
