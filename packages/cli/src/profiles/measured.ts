import type { MeasuredClient } from "./profile.ts";

// Written by `npm run clients -- --write`: the cells that were measured with the clients themselves.

export const MEASURED: { readonly [id: string]: MeasuredClient } = {};
