/** The part of BullMQ's `Queue` that Proffer uses. */
export interface BullmqQueue {
  add(name: string, data: { readonly job: string }, options: object): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<unknown>;
}

/** The part of BullMQ's `Worker` that Proffer uses. */
export interface BullmqWorker {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<unknown>;
  disconnect?(): Promise<unknown>;
}

/** The part of BullMQ's `Job` that Proffer uses. */
export interface BullmqJob {
  readonly data: { readonly job: string };
  moveToWait(token?: string): Promise<unknown>;
}
