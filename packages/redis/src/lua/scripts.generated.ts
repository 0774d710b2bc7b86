// Written by scripts/lua.ts from the Lua files beside it. Edit those, then run: node scripts/lua.ts
import { script } from "../client/Script.ts"

export const admitMessage = script({
  name: "admitMessage",
  sha: "f7fdd7eaa3514e2875503e54a1646c8e260498e7",
  keys: ["chat", "messages", "ids"],
  args: ["isGroup", "named", "name", "id", "text", "limit"],
  eachKeys: [],
  eachArgs: [],
  lua: "local chat, messages, ids = KEYS[1], KEYS[2], KEYS[3]\nlocal isGroup, named, name, id, text, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]\nlocal function keepMessage()\n  if id ~= '' and redis.call('HSETNX', ids, id, 1) == 0 then return end\n  redis.call('RPUSH', messages, #id .. ':' .. id .. text)\n  redis.call('HINCRBY', chat, 'count', 1)\n  if redis.call('LLEN', messages) <= tonumber(limit) then return end\n  local oldest = redis.call('LPOP', messages)\n  local bytes, from = string.match(oldest, '^(%d+):()')\n  redis.call('HDEL', ids, string.sub(oldest, from, from + bytes - 1))\nend\nlocal first = redis.call('HSETNX', chat, 'isGroup', isGroup)\nif named == '1' then redis.call('HSET', chat, 'name', name) end\nkeepMessage()\nreturn first"
})

export const ask = script({
  name: "ask",
  sha: "03938a33d3dae11cbfcf50210f827582a567d308",
  keys: ["state"],
  args: ["channel"],
  eachKeys: ["queue", "prev"],
  eachArgs: ["key", "place"],
  lua: "local state = KEYS[1]\nlocal channel = ARGV[1]\nlocal fixedKeys, fixedArgs = 1, 1\nlocal count = (#KEYS - fixedKeys) / 2\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nlocal function nextFence(last, floor)\n  now()\n  return string.format('%.0f', math.max(last + 1, clock[1] * 1000000 + clock[2], floor + 1))\nend\nlocal function grant(key, prev, place, floor, last)\n  local number = nextFence(last or 0, floor)\n  local incarnation = string.match(place, '%S+$')\n  local previous = redis.call('GET', prev) or ''\n  if previous ~= incarnation then redis.call('SET', prev, incarnation, 'PX', 900000) end\n  redis.call('HSET', state, '=' .. key, place .. ' ' .. number .. ' ' .. previous, ':fence', number)\n  return number, previous\nend\nlocal function grantNext(key, queue, prev, mine, floor)\n  for _ = 1, 100 do\n    local place = redis.call('LPOP', queue)\n    if not place then return nil end\n    if alive(string.match(place, '^%S+')) then\n      local last = tonumber(redis.call('HGET', state, ':fence') or '0')\n      local number, previous = grant(key, prev, place, floor, last)\n      if place ~= mine then\n        local wake = place .. ' ' .. number .. ' ' .. previous .. ' ' .. key\n        redis.call('PUBLISH', channel .. string.match(place, '%S+$'), wake)\n      end\n      return place, number, previous\n    end\n  end\nend\nlocal answers, seen = {}, {}\nlocal function waits(queue, mine)\n  if not seen[queue] then\n    seen[queue] = 1\n    return redis.call('LPOS', queue, mine)\n  end\n  if seen[queue] == 1 then\n    seen[queue] = {}\n    for _, place in ipairs(redis.call('LRANGE', queue, 0, -1)) do seen[queue][place] = true end\n  end\n  return seen[queue][mine]\nend\nfor i = 0, count - 1 do\n  local queue, prev = KEYS[fixedKeys + 2 * i + 1], KEYS[fixedKeys + 2 * i + 2]\n  local key, mine = ARGV[fixedArgs + 2 * i + 1], ARGV[fixedArgs + 2 * i + 2]\n  local held = redis.call('HGET', state, '=' .. key)\n  local place, number, previous\n  if held then place, number, previous = string.match(held, '^(%S+ %S+ %S+) (%S+) (%S*)$') end\n  if not place or not alive(string.match(place, '^%S+')) then\n    place, number, previous = grantNext(key, queue, prev, mine, 0)\n  end\n  if place == mine then\n    answers[i + 1] = { 'granted', number, previous }\n  elseif waits(queue, mine) then\n    redis.call('PEXPIRE', queue, 600000)\n    answers[i + 1] = { 'queued', number or '0' }\n  else\n    answers[i + 1] = { 'gone' }\n  end\nend\nreturn answers"
})

export const begin = script({
  name: "begin",
  sha: "8bcf940b0d654ff552557c4336ac25c638cc2a2b",
  keys: ["state"],
  args: ["epoch", "old", "lease", "left", "partition"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state = KEYS[1]\nlocal epoch, old, lease, left, partition = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nredis.call('HDEL', state, '~' .. old)\nredis.call('HSET', state, '~' .. epoch, string.format('%.0f', now() + lease))\nlocal all = redis.call('HGETALL', state)\nlocal lives = {}\nfor i = 1, #all, 2 do\n  if string.sub(all[i], 1, 1) == '~' then\n    if tonumber(all[i + 1]) > now() then\n      lives[string.sub(all[i], 2)] = true\n    else\n      redis.call('HDEL', state, all[i])\n    end\n  end\nend\nlocal dropped = 0\nfor i = 1, #all, 2 do\n  if string.sub(all[i], 1, 1) == '=' and not lives[string.match(all[i + 1], '^%S+')] then\n    dropped = dropped + redis.call('HDEL', state, all[i])\n  end\nend\nif dropped > 0 then redis.call('PUBLISH', left, partition) end\nreturn dropped"
})

export const enqueue = script({
  name: "enqueue",
  sha: "fdc61149a0f092c31ea64db0f74d97260fefba4a",
  keys: ["state", "queue", "prev", "claim"],
  args: ["key", "epoch", "place", "floor", "channel", "owner", "ttl"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state, queue, prev, claim = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal key, epoch, place, floor, channel, owner, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nlocal function claimed()\n  local found = redis.call('GET', claim)\n  if found then\n    local by, under = string.match(found, '^(%S+) ?(%S*)$')\n    if by ~= owner and (under == '' or alive(under)) then return false end\n  end\n  redis.call('SET', claim, owner .. ' ' .. epoch, 'PX', ttl)\n  return true\nend\nlocal function nextFence(last, floor)\n  now()\n  return string.format('%.0f', math.max(last + 1, clock[1] * 1000000 + clock[2], floor + 1))\nend\nlocal function grant(key, prev, place, floor, last)\n  local number = nextFence(last or 0, floor)\n  local incarnation = string.match(place, '%S+$')\n  local previous = redis.call('GET', prev) or ''\n  if previous ~= incarnation then redis.call('SET', prev, incarnation, 'PX', 900000) end\n  redis.call('HSET', state, '=' .. key, place .. ' ' .. number .. ' ' .. previous, ':fence', number)\n  return number, previous\nend\nlocal function grantNext(key, queue, prev, mine, floor)\n  for _ = 1, 100 do\n    local place = redis.call('LPOP', queue)\n    if not place then return nil end\n    if alive(string.match(place, '^%S+')) then\n      local last = tonumber(redis.call('HGET', state, ':fence') or '0')\n      local number, previous = grant(key, prev, place, floor, last)\n      if place ~= mine then\n        local wake = place .. ' ' .. number .. ' ' .. previous .. ' ' .. key\n        redis.call('PUBLISH', channel .. string.match(place, '%S+$'), wake)\n      end\n      return place, number, previous\n    end\n  end\nend\nlocal found = redis.call('HMGET', state, '~' .. epoch, '=' .. key, ':fence')\nif not found[1] or tonumber(found[1]) <= now() then return { 'dead' } end\nif owner ~= '' and not claimed() then return { 'duplicate' } end\nlocal holder, number, previous\nif found[2] then\n  holder, number, previous = string.match(found[2], '^(%S+ %S+ %S+) (%S+) (%S*)$')\n  if holder == place then return { 'granted', number, previous } end\n  if not alive(string.match(holder, '^%S+')) then holder = nil end\nend\nif not holder and redis.call('EXISTS', queue) == 0 then\n  number, previous = grant(key, prev, place, floor, tonumber(found[3] or '0'))\n  return { 'granted', number, previous }\nend\nif not redis.call('LPOS', queue, place, 'RANK', -1) then redis.call('RPUSH', queue, place) end\nredis.call('PEXPIRE', queue, 600000)\nif holder then return { 'queued' } end\nlocal granted\ngranted, number, previous = grantNext(key, queue, prev, place, floor)\nif granted == place then return { 'granted', number, previous } end\nreturn { 'queued' }"
})

export const forgetKey = script({
  name: "forgetKey",
  sha: "0e9a98f8d3f63c1650f0689f4b522753c2e1894f",
  keys: ["row", "index", "due", "ending"],
  args: ["key", "now", "fenceTtl"],
  eachKeys: [],
  eachArgs: [],
  lua: "local row, index, due, ending = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal key, now, fenceTtl = ARGV[1], ARGV[2], ARGV[3]\nlocal found = redis.call('HMGET', row, 'id', 'expires')\nlocal ends = tonumber(found[2] or '')\nif found[1] and not (ends and ends <= tonumber(now)) then return 0 end\nredis.call('ZREM', due, key)\nif found[1] and ends + fenceTtl > tonumber(now) then return 1 end\nredis.call('ZREM', index, key)\nredis.call('ZREM', ending, key)\nreturn 1"
})

export const holders = script({
  name: "holders",
  sha: "2562ddbbc796ca82333ed94c15351f3f6750c3bc",
  keys: ["state"],
  args: [],
  eachKeys: ["prev"],
  eachArgs: ["key"],
  lua: "local state = KEYS[1]\nlocal fixedKeys, fixedArgs = 1, 0\nlocal count = (#KEYS - fixedKeys) / 1\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nlocal holders = {}\nfor i = 1, count do\n  local held = redis.call('HGET', state, '=' .. ARGV[fixedArgs + i]) or ''\n  local epoch, incarnation = string.match(held, '^(%S+) %S+ (%S+)')\n  if not epoch or not alive(epoch) then incarnation = redis.call('GET', KEYS[fixedKeys + i]) or '' end\n  holders[i] = incarnation\nend\nreturn holders"
})

export const layout = script({
  name: "layout",
  sha: "dbe27c6347ecc9d2758bc4941ef8a66462a05047",
  keys: ["layout"],
  args: ["mine"],
  eachKeys: [],
  eachArgs: [],
  lua: "local layout = KEYS[1]\nlocal mine = ARGV[1]\nredis.call('SET', layout, mine, 'NX')\nreturn redis.call('GET', layout)"
})

export const leave = script({
  name: "leave",
  sha: "d6dc4d67d4ad8c2ff83287e52bf68c6635d9104c",
  keys: ["state"],
  args: ["epoch", "left", "partition"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state = KEYS[1]\nlocal epoch, left, partition = ARGV[1], ARGV[2], ARGV[3]\nredis.call('HDEL', state, '~' .. epoch)\nlocal mine = epoch .. ' '\nlocal dropped = 0\nlocal all = redis.call('HGETALL', state)\nfor i = 1, #all, 2 do\n  if string.sub(all[i], 1, 1) == '=' and string.sub(all[i + 1], 1, #mine) == mine then\n    dropped = dropped + redis.call('HDEL', state, all[i])\n  end\nend\nif dropped > 0 then redis.call('PUBLISH', left, partition) end\nreturn dropped"
})

export const lock = script({
  name: "lock",
  sha: "27950102311e36d5f94f81c28d98de3f79ab53af",
  keys: ["state", "lock"],
  args: ["token", "ttl", "floor"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state, lock = KEYS[1], KEYS[2]\nlocal token, ttl, floor = ARGV[1], ARGV[2], ARGV[3]\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nlocal function nextFence(last, floor)\n  now()\n  return string.format('%.0f', math.max(last + 1, clock[1] * 1000000 + clock[2], floor + 1))\nend\nlocal by, number = string.match(redis.call('GET', lock) or '', '^(%S+) (%S+)$')\nif by and by ~= token then return false end\nif not by then\n  number = nextFence(tonumber(redis.call('HGET', state, ':fence') or '0'), floor)\n  redis.call('HSET', state, ':fence', number)\nend\nredis.call('SET', lock, token .. ' ' .. number, 'PX', ttl)\nreturn number"
})

export const pageMessages = script({
  name: "pageMessages",
  sha: "172f50dd004486b8a4d912a74dc16c72c9a4b3ba",
  keys: ["chat", "messages"],
  args: ["below", "limit"],
  eachKeys: [],
  eachArgs: [],
  lua: "local chat, messages = KEYS[1], KEYS[2]\nlocal below, limit = ARGV[1], ARGV[2]\nlocal count = tonumber(redis.call('HGET', chat, 'count') or '0')\nlocal oldest = count - redis.call('LLEN', messages)\nlocal top = math.min(tonumber(below), count)\nlocal from = math.max(oldest, top - limit)\nif from >= top then return { 0, {} } end\nlocal entries = redis.call('LRANGE', messages, from - oldest, top - 1 - oldest)\nreturn { from > oldest and from or 0, entries }"
})

export const putCheckpoint = script({
  name: "putCheckpoint",
  sha: "7abd1a1e91ac506d3abf09eea6a221de8a8c7903",
  keys: ["row", "index", "due", "ending"],
  args: ["key", "id", "revision", "fence", "expires", "live", "data", "applied", "wakeAt", "now", "fenceTtl"],
  eachKeys: [],
  eachArgs: [],
  lua: "local row, index, due, ending = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal key, id, revision, fence, expires, live, data, applied, wakeAt, now, fenceTtl = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]\nlocal found = redis.call('HMGET', row, 'id', 'revision', 'fence', 'expires', 'data', 'applied')\nlocal ends = tonumber(found[4] or '')\nlocal absent = not found[1] or (ends and ends + fenceTtl <= tonumber(now))\nlocal expired = ends and ends <= tonumber(now)\nlocal function write(id, revision, fence, expires, data, applied, wakeAt)\n  redis.call('DEL', row)\n  redis.call('HSET', row, 'id', id, 'revision', revision, 'fence', fence, 'applied', applied)\n  redis.call('ZREM', due, key)\n  if data then\n    redis.call('HSET', row, 'data', data)\n    redis.call('ZADD', index, 0, key)\n    if wakeAt ~= '' then\n      redis.call('HSET', row, 'wakeAt', wakeAt)\n      redis.call('ZADD', due, wakeAt, key)\n    end\n  else\n    redis.call('ZREM', index, key)\n  end\n  if expires == '' then\n    redis.call('ZREM', ending, key)\n  else\n    redis.call('HSET', row, 'expires', expires)\n    redis.call('PEXPIRE', row, math.max(1, math.ceil(expires + fenceTtl - now)))\n    if data then redis.call('ZADD', ending, expires + fenceTtl, key) else redis.call('ZREM', ending, key) end\n  end\n  -- Redis drops a row that has ended by itself, not what the indexes say of it: a few go with each write.\n  local gone = redis.call('ZRANGEBYSCORE', ending, '-inf', now, 'LIMIT', 0, 10)\n  for _, other in ipairs(gone) do\n    redis.call('ZREM', index, other)\n    redis.call('ZREM', due, other)\n    redis.call('ZREM', ending, other)\n  end\nend\nlocal text = live == '1' and data\nlocal starts = tonumber(revision) == 1 and text\nlocal function accept()\n  write(id, revision, fence, expires, text, applied, wakeAt)\n  return 1\nend\nif absent then return starts and accept() or 0 end\nif tonumber(found[3]) > tonumber(fence) then return 0 end\nif expired then return starts and accept() or 0 end\nif found[1] ~= id then return starts and not found[5] and accept() or 0 end\nif tonumber(found[2]) == tonumber(revision) then\n  -- A repeat after a lost reply (ST3).\n  local same = tonumber(found[3]) == tonumber(fence) and found[5] == text and found[6] == applied\n  return same and 1 or 0\nend\nif found[5] and tonumber(found[2]) == tonumber(revision) - 1 then return accept() end\nreturn 0"
})

export const raiseFence = script({
  name: "raiseFence",
  sha: "6b6f579411b478c5003cf20325270a81eb911169",
  keys: ["row", "index", "due", "ending"],
  args: ["key", "fence", "now", "fenceTtl"],
  eachKeys: [],
  eachArgs: [],
  lua: "local row, index, due, ending = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal key, fence, now, fenceTtl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]\nlocal found = redis.call('HMGET', row, 'id', 'revision', 'fence', 'expires', 'data', 'applied')\nlocal ends = tonumber(found[4] or '')\nlocal absent = not found[1] or (ends and ends + fenceTtl <= tonumber(now))\nlocal expired = ends and ends <= tonumber(now)\nlocal function write(id, revision, fence, expires, data, applied, wakeAt)\n  redis.call('DEL', row)\n  redis.call('HSET', row, 'id', id, 'revision', revision, 'fence', fence, 'applied', applied)\n  redis.call('ZREM', due, key)\n  if data then\n    redis.call('HSET', row, 'data', data)\n    redis.call('ZADD', index, 0, key)\n    if wakeAt ~= '' then\n      redis.call('HSET', row, 'wakeAt', wakeAt)\n      redis.call('ZADD', due, wakeAt, key)\n    end\n  else\n    redis.call('ZREM', index, key)\n  end\n  if expires == '' then\n    redis.call('ZREM', ending, key)\n  else\n    redis.call('HSET', row, 'expires', expires)\n    redis.call('PEXPIRE', row, math.max(1, math.ceil(expires + fenceTtl - now)))\n    if data then redis.call('ZADD', ending, expires + fenceTtl, key) else redis.call('ZREM', ending, key) end\n  end\n  -- Redis drops a row that has ended by itself, not what the indexes say of it: a few go with each write.\n  local gone = redis.call('ZRANGEBYSCORE', ending, '-inf', now, 'LIMIT', 0, 10)\n  for _, other in ipairs(gone) do\n    redis.call('ZREM', index, other)\n    redis.call('ZREM', due, other)\n    redis.call('ZREM', ending, other)\n  end\nend\nif not absent and not expired then\n  if tonumber(found[3]) >= tonumber(fence) then return found[3] end\n  redis.call('HSET', row, 'fence', fence)\n  return fence\nend\nlocal highest = fence\nif not absent and tonumber(found[3]) > tonumber(fence) then highest = found[3] end\nwrite('', 0, highest, now, false, '[]', '')\nreturn highest"
})

export const regrant = script({
  name: "regrant",
  sha: "1cd360106f6d1c5901e2c51ef769a754bb382cc8",
  keys: ["state"],
  args: ["key", "place", "above"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state = KEYS[1]\nlocal key, place, above = ARGV[1], ARGV[2], ARGV[3]\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nlocal function nextFence(last, floor)\n  now()\n  return string.format('%.0f', math.max(last + 1, clock[1] * 1000000 + clock[2], floor + 1))\nend\nlocal found = redis.call('HMGET', state, '=' .. key, ':fence')\nlocal holder, number, previous = string.match(found[1] or '', '^(%S+ %S+ %S+) (%S+) (%S*)$')\nif holder ~= place or not alive(string.match(place, '^%S+')) then return false end\nif tonumber(number) > tonumber(above) then return number end\nnumber = nextFence(tonumber(found[2] or '0'), above)\nredis.call('HSET', state, '=' .. key, place .. ' ' .. number .. ' ' .. previous, ':fence', number)\nreturn number"
})

export const release = script({
  name: "release",
  sha: "9a47bf9ec74a6e2523945e09bc6a6fc8f98c5873",
  keys: ["state", "queue", "prev", "claim"],
  args: ["key", "place", "channel", "owner", "keep"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state, queue, prev, claim = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal key, place, channel, owner, keep = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nlocal function nextFence(last, floor)\n  now()\n  return string.format('%.0f', math.max(last + 1, clock[1] * 1000000 + clock[2], floor + 1))\nend\nlocal function grant(key, prev, place, floor, last)\n  local number = nextFence(last or 0, floor)\n  local incarnation = string.match(place, '%S+$')\n  local previous = redis.call('GET', prev) or ''\n  if previous ~= incarnation then redis.call('SET', prev, incarnation, 'PX', 900000) end\n  redis.call('HSET', state, '=' .. key, place .. ' ' .. number .. ' ' .. previous, ':fence', number)\n  return number, previous\nend\nlocal function grantNext(key, queue, prev, mine, floor)\n  for _ = 1, 100 do\n    local place = redis.call('LPOP', queue)\n    if not place then return nil end\n    if alive(string.match(place, '^%S+')) then\n      local last = tonumber(redis.call('HGET', state, ':fence') or '0')\n      local number, previous = grant(key, prev, place, floor, last)\n      if place ~= mine then\n        local wake = place .. ' ' .. number .. ' ' .. previous .. ' ' .. key\n        redis.call('PUBLISH', channel .. string.match(place, '%S+$'), wake)\n      end\n      return place, number, previous\n    end\n  end\nend\nif owner ~= '' and string.match(redis.call('GET', claim) or '', '^%S*') == owner then\n  if keep == '1' then redis.call('SET', claim, owner, 'KEEPTTL') else redis.call('DEL', claim) end\nend\nlocal held = redis.call('HGET', state, '=' .. key)\nif held and string.sub(held, 1, #place + 1) == place .. ' ' then\n  if not grantNext(key, queue, prev, '', 0) then redis.call('HDEL', state, '=' .. key) end\n  return 1\nend\nredis.call('LREM', queue, 1, place)\nreturn 0"
})

export const renew = script({
  name: "renew",
  sha: "cb59198156282b44aade70dbea281b79c995e793",
  keys: ["state"],
  args: ["epoch", "lease"],
  eachKeys: [],
  eachArgs: [],
  lua: "local state = KEYS[1]\nlocal epoch, lease = ARGV[1], ARGV[2]\nlocal clock\nlocal function now()\n  clock = clock or redis.call('TIME')\n  return clock[1] * 1000 + math.floor(clock[2] / 1000)\nend\nlocal function alive(epoch)\n  local ends = redis.call('HGET', state, '~' .. epoch)\n  return ends ~= false and tonumber(ends) > now()\nend\nif not alive(epoch) then return false end\nredis.call('HSET', state, '~' .. epoch, string.format('%.0f', now() + lease))\nlocal mine = epoch .. ' '\nlocal rows = {}\nlocal all = redis.call('HGETALL', state)\nfor i = 1, #all, 2 do\n  if string.sub(all[i], 1, 1) == '=' and string.sub(all[i + 1], 1, #mine) == mine then\n    local ticket, number = string.match(all[i + 1], '^%S+ (%S+) %S+ (%S+)')\n    rows[#rows + 1] = string.sub(all[i], 2)\n    rows[#rows + 1] = ticket\n    rows[#rows + 1] = number\n  end\nend\nreturn rows"
})

export const renewLock = script({
  name: "renewLock",
  sha: "4d0d0f34c097983f9828df6d0349f8461d40eef4",
  keys: ["lock"],
  args: ["token", "ttl"],
  eachKeys: [],
  eachArgs: [],
  lua: "local lock = KEYS[1]\nlocal token, ttl = ARGV[1], ARGV[2]\nif string.match(redis.call('GET', lock) or '', '^%S*') ~= token then return 0 end\nreturn redis.call('PEXPIRE', lock, ttl)"
})

export const saveMessage = script({
  name: "saveMessage",
  sha: "baa30cdd00c54705452eb3db343bb4ef9f5b94b4",
  keys: ["chat", "messages", "ids"],
  args: ["id", "text", "limit"],
  eachKeys: [],
  eachArgs: [],
  lua: "local chat, messages, ids = KEYS[1], KEYS[2], KEYS[3]\nlocal id, text, limit = ARGV[1], ARGV[2], ARGV[3]\nlocal function keepMessage()\n  if id ~= '' and redis.call('HSETNX', ids, id, 1) == 0 then return end\n  redis.call('RPUSH', messages, #id .. ':' .. id .. text)\n  redis.call('HINCRBY', chat, 'count', 1)\n  if redis.call('LLEN', messages) <= tonumber(limit) then return end\n  local oldest = redis.call('LPOP', messages)\n  local bytes, from = string.match(oldest, '^(%d+):()')\n  redis.call('HDEL', ids, string.sub(oldest, from, from + bytes - 1))\nend\nkeepMessage()"
})

export const unlock = script({
  name: "unlock",
  sha: "f5507ba39da3a127f62976824af7514938591d88",
  keys: ["lock"],
  args: ["token"],
  eachKeys: [],
  eachArgs: [],
  lua: "local lock = KEYS[1]\nlocal token = ARGV[1]\nif string.match(redis.call('GET', lock) or '', '^%S*') ~= token then return 0 end\nreturn redis.call('DEL', lock)"
})
