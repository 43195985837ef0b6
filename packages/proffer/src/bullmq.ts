export type { BullmqJob, BullmqQueue, BullmqWorker } from "./nodes/bullmq/bullmq.ts";
export { type BullmqOptions, bullmq } from "./nodes/bullmq/bullmq.ts";
export { StoreUnavailable, type UnavailableReason } from "./nodes/ports.ts";
