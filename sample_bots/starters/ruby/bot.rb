# A bot for Daifugō Arena in Ruby, with the standard library alone.
#
#     ruby bot.rb --url http://127.0.0.1:8000 --session spring-cup --name me
#
# What is not given is read from ARENA_URL, ARENA_SESSION, ARENA_NAME, ARENA_CODE and ARENA_TOKEN.
# Write your own strategy into `choose`; the rest keeps to the protocol.

require "json"
require "net/http"

RANKS = "3456789TJQKA2" # in the normal order, the weakest first

# The number of an answer in turn["legal"]. This is the place for your own ideas.
# Here: low cards, many at once; sets are not broken, jokers are kept.
def choose(turn)
  legal = turn["legal"] || []
  strength = lambda do |card|
    next 50 if card == "JK"
    rank = RANKS.index(card[1])
    turn["order"] == "normal" ? rank : 12 - rank # a revolution: the 3 is high
  end
  cost = lambda do |number|
    own = legal[number]["cards"].map(&strength)
    left = turn["held"].count { |card| own.include?(strength[card]) } - own.size
    own.sum / own.size.to_f - own.size + 4 * left
  end
  with_cards = legal.each_index.reject { |number| (legal[number]["cards"] || []).empty? }
  with_cards.min_by(&cost) || 0 # 0: something else is asked, or nothing is listed
end

# `--name VALUE` of the command line, or ARENA_NAME of the environment.
def setting(name, otherwise = nil)
  at = ARGV.index("--#{name}")
  flag = at && ARGV[at + 1]
  [flag, ENV["ARENA_#{name.upcase}"], otherwise].find { |value| value && !value.empty? }
end

def tell(text)
  warn "bot: #{text}"
end

def stop(text, code = 1)
  tell text
  exit code
end

# The arena at an address: one connection that is kept, and opened again when it breaks.
class Arena
  BROKEN = [SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError,
            Net::HTTPBadResponse, Net::ProtocolError, JSON::ParserError].freeze

  def initialize(url)
    @url = url
    uri = URI(url)
    @base = "#{uri.path}/api/v1"
    @http = Net::HTTP.new(uri.host, uri.port)
    @http.use_ssl = uri.scheme == "https"
    @http.read_timeout = 60
    @http.keep_alive_timeout = 30
    @headers = { "Content-Type" => "application/json" }
  end

  # One request -> status and document. The same again, after a while, if there is no answer or
  # the arena asks for patience; no answer counts twice, however often it is sent.
  def ask(method, path, body = nil)
    (1..22).each do |attempt| # two minutes in all
      pause = attempt / 2.0
      begin
        @http.start unless @http.started?
        reply = @http.send_request(method, @base + path, body && JSON.generate(body), @headers)
        status, got = reply.code.to_i, JSON.parse(reply.body)
        stop "the token is refused: #{got["detail"]}" if status == 401
        return status, got unless [429, 500, 502, 503, 504].include?(status)
        pause = Float(reply["Retry-After"], exception: false) || pause if reply["Retry-After"]
        tell "#{method} #{path}: #{status} #{got["detail"]}; again in #{pause} s"
      rescue *BROKEN => error
        @http.finish if @http.started?
        tell "#{method} #{path}: #{error.message}; again in #{pause} s"
      end
      sleep pause
    end
    stop "no answer from #{@url}"
  end

  # Use the token that is given or was kept; else register, and keep the new one.
  def sign_in(name)
    kept = "#{name}@#{@url.split("//").last}".gsub(/[^A-Za-z0-9.-]/, "_") + ".token"
    token = setting("token") || (File.read(kept).strip if File.exist?(kept))
    unless token
      status, got = ask("POST", "/bots", { name: name, code: setting("code") }.compact)
      stop "not registered: #{got["detail"]}" if status != 201
      token = got["token"]
      File.write(kept, token, perm: 0o600)
    end
    @headers["Authorization"] = "Bearer #{token}"
  end
end

# Answer turns until the session is over.
def play(arena, session)
  status, entry = arena.ask("PUT", "/sessions/#{session}/entry")
  # 409: it runs already, and may have this bot.
  stop "not entered: #{entry["detail"]}" unless [200, 201, 409].include?(status)
  turns, cursor = [], nil
  loop do
    wait = "?wait=25#{"&after=#{cursor}" if cursor}"
    if (turn = turns.shift)
      # The last answer waits for the next turns, which saves a request for each move.
      path = "/turns/#{turn["turn"]}#{wait if turns.empty?}"
      status, got = arena.ask("POST", path, { choice: choose(turn) })
      if [400, 422].include?(status) && got["example"]
        tell "refused: #{got["detail"]}"
        status, got = arena.ask("POST", path, got["example"])
      end
      tell "#{turn["turn"]}: #{got["detail"]}" if status != 200 # too late, for one
      turns += got["next"] || []
    else
      _, got = arena.ask("GET", "/turns#{wait}")
      turns = got["turns"] || []
    end
    cursor = got["cursor"] || cursor
    next unless turns.empty?
    _, view = arena.ask("GET", "/sessions/#{session}")
    return if %w[finished cancelled].include?(view["status"])
    sleep (got["poll_after_ms"] || 1000) / 1000.0
  end
end

%w[INT TERM].each { |signal| trap(signal) { exit! 0 } }
session = setting("session")
stop "usage: bot.rb --url URL --session SESSION --name NAME [--code CODE]", 2 unless session
arena = Arena.new(setting("url", "http://127.0.0.1:8000").chomp("/"))
arena.sign_in(setting("name", "ruby-starter"))
play(arena, session)
