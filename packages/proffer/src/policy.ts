export { type AuditOptions, audit } from "./policy/audit.ts";
export { type CacheResultsOptions, cacheResults } from "./policy/cache-results.ts";
export { type DenyOptions, deny } from "./policy/deny.ts";
export { type ConcurrencyOptions, concurrency, type RateLimitOptions, rateLimit } from "./policy/limits.ts";
export type { Per } from "./policy/options.ts";
