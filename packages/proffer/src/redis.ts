export { StoreUnavailable, type UnavailableReason } from "./cluster/unavailable.ts";
export type {
  CallClient,
  ClusterClient,
  CustomCommandClient,
  RedisClient,
  SendCommandClient,
} from "./redis/client.ts";
export type { RedisOptions } from "./redis/options.ts";
export { type RedisCluster, redis } from "./redis/redis.ts";
