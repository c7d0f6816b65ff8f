/**
 * The steps of the counters in Lua. Each is one atomic call with the server's time.
 *
 * A window is a hash of seconds. A spend is a hash with `spent`, `held`, the mean duration of a reservation
 * and one field per reservation. Concurrency is a sorted set of processes by the end of their lease, and
 * per process a sorted set of its slots by their start. Unsettled parts of a window are in a sorted set
 * by id with their slot: a settlement that is repeated, or finds the store empty, finds nothing
 * there and changes nothing. The name of this set has a prefix, because callers choose the end of a counter's
 * name. A spend without an end expires 30 days after its last use, because its name may contain a person's email
 * address. The database has its sum. Money is exact below 2^53; `%.0f` prevents the form 1e+15.
 */

/** The common beginning of all counter scripts. */
export const COUNTER_SCRIPT_PRELUDE = `
local stamp = redis.call('TIME')
local now = stamp[1] * 1000 + math.floor(stamp[2] / 1000) + tonumber(ARGV[1])
local second = math.floor(now / 1000)
local function whole(n) return string.format('%.0f', n) end
local function slots(key, process) return key .. ':' .. process end
local function live(key, own)
  local found = {}
  local flat = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #flat, 2 do
    local ends = tonumber(flat[i + 1])
    if ends > now or flat[i] == own then found[#found + 1] = {slots(key, flat[i]), ends, flat[i]}
    else
      redis.call('ZREM', key, flat[i])
      redis.call('DEL', slots(key, flat[i]))
    end
  end
  return found
end
local function keep(key, own, lasts)
  redis.call('ZADD', key, now + lasts, own)
  redis.call('PEXPIRE', key, lasts + 1000)
  redis.call('PEXPIRE', slots(key, own), lasts + 1000)
end
local function unsettled(key)
  local at = string.find(key, '}:', 1, true) + 1
  return string.sub(key, 1, at) .. 'open:' .. string.sub(key, at + 1)
end
local function window(key)
  local flat = redis.call('HGETALL', key)
  local sum, slots, newest = 0, {}, nil
  for i = 1, #flat, 2 do
    local at, n = tonumber(flat[i]), tonumber(flat[i + 1])
    if at <= second - 61 then redis.call('HDEL', key, flat[i])
    elseif n ~= 0 then
      sum = sum + n
      slots[#slots + 1] = {at, n}
      if newest == nil or at > newest then newest = at end
    end
  end
  local reset = 0
  if newest then reset = (newest + 61) * 1000 - now end
  return sum, reset, slots
end
local function freed(slots, over)
  table.sort(slots, function(a, b) return a[1] < b[1] end)
  for _, slot in ipairs(slots) do
    over = over - slot[2]
    if over <= 0 then return slot[1] + 61 end
  end
  return second + 61
end
local function expire(key, endsAt)
  if endsAt > 0 then redis.call('PEXPIREAT', key, whole(endsAt + 86400000))
  else redis.call('PEXPIRE', key, 2592000000) end
end
local function spent(key, minimum)
  local v = redis.call('HMGET', key, 'spent', 'held', 'until')
  local sum, held = tonumber(v[1] or '0'), tonumber(v[2] or '0')
  if v[3] and tonumber(v[3]) < now then
    local earliest = nil
    local flat = redis.call('HGETALL', key)
    for i = 1, #flat, 2 do
      local amount, expiry = string.match(flat[i + 1], '^(%d+):(%d+):')
      if amount and tonumber(expiry) < now then
        redis.call('HDEL', key, flat[i])
        held = held - tonumber(amount)
      elseif amount and (earliest == nil or tonumber(expiry) < earliest) then earliest = tonumber(expiry) end
    end
    redis.call('HSET', key, 'held', whole(held))
    if earliest then redis.call('HSET', key, 'until', whole(earliest)) else redis.call('HDEL', key, 'until') end
  end
  if minimum > sum then
    redis.call('HSET', key, 'spent', whole(minimum))
    if redis.call('PTTL', key) < 0 then expire(key, 0) end
    sum = minimum
  end
  return sum + held, sum
end
`;

/**
 * Acquires all claims of an exchange, or none. ARGV: offset, id, hold ms, process, then per key:
 * kind, amount, limit, flags (1 enforced, 2 persistent), minimumUsed, endsAt, ttlMs. For a
 * concurrency key, minimumUsed is the number of exchanges that the process has in progress, and
 * endsAt is their mean duration. If that number is higher than the number in the store, the script returns
 * -1 and acquires nothing. The process then runs the recount script and tries again.
 */
export const COUNTER_ACQUIRE_SCRIPT = `${COUNTER_SCRIPT_PRELUDE}
local id, hold, own = ARGV[2], tonumber(ARGV[3]), ARGV[4]
local refused, wait = 0, -1
local claims = {}
local function released(c)
  local soonest = nil
  for _, p in ipairs(c.processes) do
    local due = redis.call('ZRANGEBYSCORE', p[1], '(' .. whole(now - c.endsAt), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    local ms = nil
    if due[2] then ms = tonumber(due[2]) + c.endsAt - now
    else
      local overdue = redis.call('ZREVRANGE', p[1], 0, 0, 'WITHSCORES')
      if overdue[2] then ms = now - c.endsAt - tonumber(overdue[2]) end
    end
    if ms then
      ms = math.min(math.max(ms, 50), math.max(p[2] - now, 0) + 1)
      if soonest == nil or ms < soonest then soonest = ms end
    end
  end
  return soonest or -1
end
local function lease(key, c)
  c.processes = live(key, own)
  c.used, c.own, c.ends = 0, 0, 0
  for _, p in ipairs(c.processes) do
    local count = redis.call('ZCARD', p[1])
    c.used = c.used + count
    if p[3] == own then c.own, c.ends = count, p[2] end
  end
  return c.own >= c.minimum
end
for i, key in ipairs(KEYS) do
  local a = 4 + (i - 1) * 7
  local c = {kind = ARGV[a + 1], amount = tonumber(ARGV[a + 2]), limit = tonumber(ARGV[a + 3]),
    flags = tonumber(ARGV[a + 4]), minimum = tonumber(ARGV[a + 5]), endsAt = tonumber(ARGV[a + 6]), lasts = tonumber(ARGV[a + 7]), reset = 0}
  if c.kind == 'w' then c.used, c.reset, c.slots = window(key)
  elseif c.kind == 'l' then
    if not lease(key, c) then return {-1} end
  else c.used, c.spent = spent(key, c.minimum) end
  claims[i] = c
end
local function settled(key)
  local v = redis.call('HMGET', key, 'mean', 'eta', 'looked')
  local mean, eta, looked = tonumber(v[1] or '0'), tonumber(v[2] or '0'), tonumber(v[3] or '0')
  if mean == 0 then return 1000 end
  if now - looked >= 100 then
    local next, least = nil, nil
    local flat = redis.call('HGETALL', key)
    for i = 1, #flat, 2 do
      local since = string.match(flat[i + 1], '^%d+:%d+:(%d+)$')
      if since then
        local left = mean - (now - tonumber(since))
        if left > 0 then
          if next == nil or left < next then next = left end
        elseif least == nil or -left < least then least = -left end
      end
    end
    eta = math.ceil(math.min(10000, math.max(50, next or least or 50)))
    redis.call('HSET', key, 'eta', whole(eta), 'looked', whole(now))
  end
  return eta
end
local function judge(rates)
  for i, c in ipairs(claims) do
    if c.flags % 2 == 1 and (c.kind ~= 's') == rates and c.used + c.amount > c.limit then
      if c.kind == 's' and c.spent + c.amount > c.limit then
        refused, wait = i, -1
        return
      end
      if refused == 0 then refused = i end
      if c.kind == 's' then wait = math.max(wait, settled(KEYS[i])) end
      if c.kind == 'w' then wait = math.max(wait, freed(c.slots, c.used + c.amount - c.limit) * 1000 - now)
      elseif c.kind == 'l' then wait = math.max(wait, released(c)) end
    end
  end
end
judge(true)
local rates = refused ~= 0
if not rates then judge(false) end
local reply = {refused, wait, second}
for i, c in ipairs(claims) do
  if refused == 0 or (not rates and c.flags >= 2) then
    local key = KEYS[i]
    c.used = c.used + c.amount
    if c.kind == 'w' then
      redis.call('HINCRBY', key, whole(second), whole(c.amount))
      redis.call('EXPIRE', key, 130)
      if c.amount > 0 then c.reset = (second + 61) * 1000 - now end
      if c.flags < 2 then
        redis.call('ZREMRANGEBYSCORE', unsettled(key), '-inf', second - 61)
        redis.call('ZADD', unsettled(key), second, id)
        redis.call('EXPIRE', unsettled(key), 130)
      end
    elseif c.kind == 'l' then
      redis.call('ZADD', slots(key, own), now, id)
      if c.own == 0 or c.ends < now + c.lasts / 2 then keep(key, own, c.lasts) end
    else
      redis.call('HINCRBY', key, 'held', whole(c.amount))
      redis.call('HSET', key, 'h:' .. id, whole(c.amount) .. ':' .. whole(now + hold) .. ':' .. whole(now))
      redis.call('HSETNX', key, 'until', whole(now + hold))
      expire(key, c.endsAt)
    end
  end
  reply[#reply + 1] = c.used
  reply[#reply + 1] = c.reset
end
return reply
`;

/**
 * Replaces an exchange's reservations with the final amounts. Idempotent. ARGV: offset, id,
 * process, then per key: kind, amount, actual, endsAt.
 */
export const COUNTER_SETTLE_SCRIPT = `${COUNTER_SCRIPT_PRELUDE}
local id, own = ARGV[2], ARGV[3]
for i, key in ipairs(KEYS) do
  local a = 3 + (i - 1) * 4
  local kind, amount, actual = ARGV[a + 1], tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  if kind == 'w' then
    local slot = actual ~= amount and redis.call('ZSCORE', unsettled(key), id)
    if slot then
      redis.call('ZREM', unsettled(key), id)
      if tonumber(slot) > second - 61 then
        redis.call('HINCRBY', key, slot, whole(actual - amount))
        redis.call('EXPIRE', key, 130)
      end
    end
  elseif kind == 'l' then redis.call('ZREM', slots(key, own), id)
  else
    local held = redis.call('HGET', key, 'h:' .. id)
    if held then
      redis.call('HDEL', key, 'h:' .. id)
      local amount, since = string.match(held, '^(%d+):%d+:(%d+)$')
      redis.call('HINCRBY', key, 'held', '-' .. amount)
      local mean, lasted = tonumber(redis.call('HGET', key, 'mean') or '0'), math.max(1, now - tonumber(since))
      redis.call('HSET', key, 'mean', whole(mean == 0 and lasted or mean + (lasted - mean) / 8))
      if actual > 0 then redis.call('HINCRBY', key, 'spent', whole(actual)) end
      expire(key, tonumber(ARGV[a + 4]))
    end
  end
end
return 1
`;

/**
 * Reads counters without charging them. ARGV: offset, then per key: kind, minimumUsed. Returns per
 * key: used, reset, held.
 */
export const COUNTER_PEEK_SCRIPT = `${COUNTER_SCRIPT_PRELUDE}
local reply = {}
for i, key in ipairs(KEYS) do
  local kind, used, reset, held = ARGV[i * 2], 0, 0, 0
  if kind == 'w' then used, reset = window(key)
  elseif kind == 'l' then
    for _, p in ipairs(live(key, nil)) do used = used + redis.call('ZCARD', p[1]) end
  else
    local sum = 0
    used, sum = spent(key, tonumber(ARGV[i * 2 + 1]))
    held = used - sum
  end
  reply[#reply + 1] = used
  reply[#reply + 1] = reset
  reply[#reply + 1] = held
end
return reply
`;

/**
 * Renews a process's lease on its concurrency entries. Returns the number of entries per key, or 0
 * if the lease has expired. ARGV: offset, process, then per key: ttlMs.
 */
export const COUNTER_RENEW_SCRIPT = `${COUNTER_SCRIPT_PRELUDE}
local own, reply = ARGV[2], {}
for i, key in ipairs(KEYS) do
  local count = redis.call('ZSCORE', key, own) and redis.call('ZCARD', slots(key, own)) or 0
  if count > 0 then keep(key, own, tonumber(ARGV[i + 2])) end
  reply[i] = count
end
return reply
`;

/**
 * Corrects the concurrency entries of a process: adds the listed ones, and removes those that are
 * not listed and are older than `stale`. ARGV: offset, process, ttlMs, stale ms, then pairs: id,
 * age in ms.
 */
export const COUNTER_RECOUNT_SCRIPT = `${COUNTER_SCRIPT_PRELUDE}
local key, own, named = KEYS[1], ARGV[2], {}
local mine = slots(key, own)
for i = 5, #ARGV, 2 do
  named[ARGV[i]] = true
  redis.call('ZADD', mine, 'NX', now - tonumber(ARGV[i + 1]), ARGV[i])
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', mine, '-inf', now - tonumber(ARGV[4]))) do
  if not named[id] then redis.call('ZREM', mine, id) end
end
keep(key, own, tonumber(ARGV[3]))
return 1
`;
