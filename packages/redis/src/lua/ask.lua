-- What became of waiting tickets, in their order; a key whose holder is dead or gone is granted first (R8). Safe to repeat.
-- uses: time fence grant
-- KEYS: state (queue prev)...
-- ARGV: channel (key place)...
-- returns: for each { "granted", fence, previous } | { "queued", fence of the holder } | { "gone" }
local answers, seen = {}, {}
-- A queue asked about more than once is read once: looking up each of a thousand places would cost a thousand walks.
local function waits(queue, mine)
  if not seen[queue] then
    seen[queue] = 1
    return redis.call('LPOS', queue, mine)
  end
  if seen[queue] == 1 then
    seen[queue] = {}
    for _, place in ipairs(redis.call('LRANGE', queue, 0, -1)) do seen[queue][place] = true end
  end
  return seen[queue][mine]
end
for i = 0, count - 1 do
  local queue, prev = KEYS[fixedKeys + 2 * i + 1], KEYS[fixedKeys + 2 * i + 2]
  local key, mine = ARGV[fixedArgs + 2 * i + 1], ARGV[fixedArgs + 2 * i + 2]
  local held = redis.call('HGET', state, '=' .. key)
  local place, number, previous
  if held then place, number, previous = string.match(held, '^(%S+ %S+ %S+) (%S+) (%S*)$') end
  if not place or not alive(string.match(place, '^%S+')) then
    place, number, previous = grantNext(key, queue, prev, mine, 0)
  end
  if place == mine then
    answers[i + 1] = { 'granted', number, previous }
  elseif waits(queue, mine) then
    redis.call('PEXPIRE', queue, 600000)
    answers[i + 1] = { 'queued', number or '0' }
  else
    answers[i + 1] = { 'gone' }
  end
end
return answers
