import type { CallMethod, CallState } from "../protocol/call.ts";

export const CALL_METHODS: readonly CallMethod[] = ["tools/call", "resources/read", "prompts/get"];
export const CALL_STATES: readonly CallState["status"][] = ["running", "asks", "done", "failed", "canceled"];
