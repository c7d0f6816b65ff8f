-- Arguments behind "--": the file of the body, then header lines "name: value".
function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  wrk.method = "POST"
  wrk.body = file:read("*a")
  file:close()
  for i = 2, #arguments do
    local name, value = arguments[i]:match("^(.-): (.*)$")
    wrk.headers[name] = value
  end
  request_bytes = wrk.format()
end

function request()
  return request_bytes
end

function done(summary, latency)
  local failed = summary.errors
  io.write(string.format(
    '\nBENCH {"requests":%d,"us":%d,"bytes":%d,"p50":%d,"p99":%d,"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    failed.status, failed.connect, failed.read, failed.write, failed.timeout))
end
