import { CallView, type MiddlewareCall } from "../calls/call-view.ts";

/** Two callers with the same key are the same principal and see the same items. */
export function visibleKey(view: MiddlewareCall): readonly [string | null, number | null] {
  const call = CallView.callOf(view);
  return [view.principal?.id ?? null, call?.server.access?.visibleId(call) ?? null];
}
