export { type AuditEntry, type AuditOptions, audit } from "./policy/audit.ts";
export { type CacheResultsOptions, cacheResults } from "./policy/cache-results.ts";
export { type ConcurrencyOptions, concurrency } from "./policy/concurrency.ts";
export { type DenyOptions, deny } from "./policy/deny.ts";
export type { Per } from "./policy/per.ts";
export { type RateLimitOptions, rateLimit } from "./policy/rate-limit.ts";
