import type { InspectorState, StreamState } from "./inspector-state.ts";

export interface PageState {
  readonly inspector: InspectorState;
  readonly stream: StreamState;
  /** Why Node refuses the stream. */
  readonly refusal: string | undefined;
}
