export { type BullmqOptions, bullmq } from "./bullmq/bullmq.ts";
export type { BullmqJob, BullmqQueue, BullmqWorker } from "./bullmq/library.ts";
export { StoreUnavailable, type UnavailableReason } from "./cluster/unavailable.ts";
