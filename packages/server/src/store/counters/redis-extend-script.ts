import { COUNTER_SCRIPT_PRELUDE } from './redis-scripts.ts';

/**
 * Increases all budget reservations of an exchange by one amount, as far as the budgets permit. If the store
 * has lost a reservation, restores it from the amount that the process reports.
 *
 * ARGV: offset, id, hold ms, held, amount, then per key: limit (or -1 for none), minimumUsed, endsAt. Returns
 * the granted amount, and the index of the key with the smallest remaining amount, or 0.
 */
export const COUNTER_EXTEND_SCRIPT = `${COUNTER_SCRIPT_PRELUDE}
local id, hold, known, granted, short = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), 0
local holds = {}
for i, key in ipairs(KEYS) do
  local a = 5 + (i - 1) * 3
  local limit, used = tonumber(ARGV[a + 1]), spent(key, tonumber(ARGV[a + 2]))
  local amount, since = string.match(redis.call('HGET', key, 'h:' .. id) or '', '^(%d+):%d+:(%d+)$')
  amount = tonumber(amount or '0')
  holds[i] = {amount, since or whole(now)}
  local room = limit - used - math.max(0, known - amount)
  if limit >= 0 and room < granted then granted, short = math.max(0, room), i end
end
for i, key in ipairs(KEYS) do
  local before, endsAt = holds[i][1], tonumber(ARGV[5 + i * 3])
  local total = math.max(before, known) + granted
  redis.call('HINCRBY', key, 'held', whole(total - before))
  redis.call('HSET', key, 'h:' .. id, whole(total) .. ':' .. whole(now + hold) .. ':' .. holds[i][2])
  redis.call('HSETNX', key, 'until', whole(now + hold))
  expire(key, endsAt)
end
return {granted, short}
`;
