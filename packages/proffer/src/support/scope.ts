/** A scope-token of OAuth (RFC 6749, appendix A.4): visible ASCII without quotes and backslashes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text is one scope, such as "orders:write". */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && SCOPE.test(value);
}
