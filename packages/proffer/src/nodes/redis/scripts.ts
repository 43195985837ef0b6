import { createScript } from "./commands.ts";

// Each script uses one key, so that it works in a Redis Cluster, and either changes everything or nothing: all its
// checks precede its first write. Redis stops a script at its first write if memory is full, never later.

/**
 * Changes a record. The arguments are the parts of the change, each its name, the number of its items and the items:
 * `if`, `add`, `set` and `once` have names and values, `not`, `remove`, `stamp` and `returning` names, `prefix` and
 * `expire` one item. Replies with 1, 0 if a condition does not hold, or the name of a field that is not a number; and with
 * the fields.
 */
export const CHANGE = createScript(`
local key, part, none, at = KEYS[1], {}, {}, 1
while at < #ARGV do
  local items, count = {}, tonumber(ARGV[at + 1])
  for i = 1, count do items[i] = ARGV[at + 1 + i] end
  part[ARGV[at]] = items
  at = at + 2 + count
end

local function reply(made)
  local names = part.returning
  if not names then return { made, redis.call('HGETALL', key) } end
  if #names == 0 then return { made, names } end
  return { made, redis.call('HMGET', key, unpack(names)) }
end

local conditions = part['if'] or none
for i = 1, #conditions, 2 do
  if redis.call('HGET', key, conditions[i]) ~= conditions[i + 1] then return reply(0) end
end
for _, name in ipairs(part['not'] or none) do
  if redis.call('HEXISTS', key, name) == 1 then return reply(0) end
end
local add = part.add or none
for i = 1, #add, 2 do
  local value = redis.call('HGET', key, add[i])
  if value and value ~= '0' then
    local digits = string.match(value, '^%-?([1-9]%d*)$')
    if not digits or #digits > 15 then return { add[i] } end
  end
end

-- A call has at most about 8,000 arguments.
local function batches(command, items)
  for i = 1, #items, 4000 do redis.call(command, key, unpack(items, i, math.min(i + 3999, #items))) end
end
for i = 1, #add, 2 do redis.call('HINCRBY', key, add[i], add[i + 1]) end
if part.prefix then
  local prefix, gone = part.prefix[1], {}
  for _, name in ipairs(redis.call('HKEYS', key)) do
    if string.sub(name, 1, #prefix) == prefix then gone[#gone + 1] = name end
  end
  batches('HDEL', gone)
end
if part.remove then batches('HDEL', part.remove) end
if part.set then batches('HSET', part.set) end
local once = part.once or none
for i = 1, #once, 2 do redis.call('HSETNX', key, once[i], once[i + 1]) end
if part.stamp then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for _, name in ipairs(part.stamp) do
    -- The clock of this server, or of the one that it replaced, may have been ahead.
    local before = tonumber(redis.call('HGET', key, name) or 0) or 0
    redis.call('HSET', key, name, string.format('%.0f', math.max(now, before)))
  end
end
local changed = reply(1)
if part.expire then redis.call('PEXPIRE', key, part.expire[1]) end
return changed
`);

/**
 * Reads fields of a record, or all as a flat list: node-redis would make an object of the reply to HGETALL, without a
 * field "__proto__". Without the check, a record that has none of the fields would look like none.
 */
export const READ = createScript(`
if #ARGV == 0 then return redis.call('HGETALL', KEYS[1]) end
local values = redis.call('HMGET', KEYS[1], unpack(ARGV))
for i = 1, #values do
  if values[i] then return values end
end
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
return values
`);

/** Counts a key; the time begins with the first count. */
export const COUNT = createScript(`
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count
`);

/**
 * Appends to a log, which is a stream: (entries, bytes, milliseconds, place, text, …). The id of an entry is its place, so
 * Redis itself keeps the order. An entry has its text (t), the place of the entry before it (p), which shows a reader
 * whether entries are gone, and the bytes of all texts so far (b).
 */
export const APPEND = createScript(`
local key, last, total = KEYS[1], nil, 0
local function place(id) return tonumber(string.match(id, '^%d+')) end
local function id(number) return string.format('%.0f-0', number) end
local function number(value) return string.format('%.0f', value) end
local tail = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
if tail then
  last, total = place(tail[1]), tonumber(tail[2][6])
elseif redis.call('EXISTS', key) == 1 then
  local info = redis.call('XINFO', 'STREAM', key)
  for i = 1, #info, 2 do if info[i] == 'last-generated-id' then last = place(info[i + 1]) end end
end
for i = 4, #ARGV, 2 do
  local at = tonumber(ARGV[i])
  last = last or at - 1
  if at > last then
    total = total + #ARGV[i + 1]
    redis.call('XADD', key, id(at), 't', ARGV[i + 1], 'p', number(last), 'b', number(total))
    last = at
  end
end
redis.call('XTRIM', key, 'MAXLEN', '=', ARGV[1])
-- Most appends look at the oldest entry only: the texts of a page would have to be copied.
local from, count, keep = '-', 1, nil
repeat
  local page = redis.call('XRANGE', key, from, '+', 'COUNT', count)
  for _, entry in ipairs(page) do
    if not keep and total - tonumber(entry[2][6]) + #entry[2][2] <= tonumber(ARGV[2]) then keep = entry[1] end
    from = '(' .. entry[1]
  end
  if keep and count == 1 then break end
  if keep then redis.call('XTRIM', key, 'MINID', '=', keep) end
  if #page == 0 then redis.call('XTRIM', key, 'MAXLEN', '=', 0) end
  count = 20
until keep or #page == 0
redis.call('PEXPIRE', key, ARGV[3])
return 1
`);

/** Reads a log after a place: replies with place, text, …; or nothing, if entries are gone. */
export const SINCE = createScript(`
local key, after, found = KEYS[1], tonumber(ARGV[1]), {}
local head = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
local gone = head and tonumber(head[2][4])
if not head then
  if redis.call('EXISTS', key) == 0 then return false end
  local info = redis.call('XINFO', 'STREAM', key)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then gone = tonumber(string.match(info[i + 1], '^%d+')) end
  end
end
if after < gone then return false end
for _, entry in ipairs(redis.call('XRANGE', key, string.format('(%.0f-0', after), '+')) do
  found[#found + 1] = string.match(entry[1], '^%d+')
  found[#found + 1] = entry[2][2]
end
return found
`);
