import type { MiddlewareCall } from "../calls/call-view.ts";

/** Two callers with the same key are the same principal and see the same items. */
export function visibleKey(call: MiddlewareCall): string | null {
  return call.principal?.id ?? null;
}
