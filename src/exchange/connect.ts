import { BadResponse, NetworkError, RequestTimeout } from 'ccxt';
import { minuteMs, secondMs } from '#engine/market/durations.ts';
import type { MarketType } from '#engine/market/instrument.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { ExchangeError } from '#engine/ports/exchange-error.ts';
import type { CcxtClient, ExceptionMaps } from './ccxt-client.ts';
import { isCcxtError } from './ccxt-errors.ts';
import { assertLoopback, sandboxUrls } from './loopback.ts';
import { answerFault, costPerMinute, socketOfStream, weightUnits } from './quirks/binance.ts';
import { RequestBudget } from './request-budget.ts';
import { saysTooManyOrders } from './trading/order-budget.ts';
import { ccxtClass, ccxtIdOf, exchangeListing, isTestnet, sandboxId } from './supported.ts';

/** Which exchange to connect to, and how. */
export interface ConnectOptions {
  exchangeId: string; // 'binance', 'sandbox', 'bybit_testnet'
  marketType: MarketType;
  sandboxUrl?: string | undefined; // address of the sandbox, needed for the id 'sandbox'
  budget?: RequestBudget | undefined; // by default the one that all connections of this process to this exchange share
  timeoutMs?: number | undefined; // for an answer with its body; 10 s by default
  credentials?: Credentials | undefined; // to ask as the holder of an account
}

/** A hardened client of ccxt and the budget its requests are paid from. */
export interface Connection {
  client: CcxtClient;
  budget: RequestBudget;
}

/** Time between two pings on a socket, in ms. With ccxt's own 180 s a dead socket would go unnoticed for minutes. */
const keepAliveMs = 15 * secondMs;

/** How long a socket may take to be connected, in ms. */
const connectMs = 10 * secondMs;

/**
 * A client of ccxt whose known holes are closed: every answer is complete JSON and comes in time, every error is one of
 * ccxt's, nothing is retried by itself, and every request is paid from the budget.
 *
 * Fails: ExchangeError `rejected` for an unknown exchange, or a sandbox that is not on this machine
 */
export function connect(options: ConnectOptions): Connection {
  const client = createClient(options);
  const budget = options.budget ?? sharedBudget(client, options);
  client.timeout = options.timeoutMs ?? 10 * secondMs;
  // Whoever is given longer for an answer is given as long for a connection, and for a pong.
  const streaming = { keepAlive: Math.max(keepAliveMs, client.timeout), connectionTimeout: Math.max(connectMs, client.timeout) };
  client.streaming = { ...client.streaming, ...streaming };
  mergeExceptions(client, options.marketType);
  payFromBudget(client, budget);
  demandWholeAnswers(client, budget);
  limitTime(client);
  return { client, budget };
}

/** The budgets of this process: the exchange counts by address, so all connections to one must share. */
const budgets = new Map<string, RequestBudget>();

/**
 * How much of each exchange's limit this process uses, as a ratio, by exchange and ccxt's class, e.g. 'binance binanceusdm'; of
 * several sandboxes the one that is used most.
 */
export function usedBudgets(): Map<string, number> {
  const used = new Map<string, number>();
  for (const [key, budget] of budgets) {
    const name = key.split(' ').slice(0, 2).join(' ');
    used.set(name, Math.max(used.get(name) ?? 0, budget.usedRatio()));
  }
  return used;
}

/** The sandbox serves this machine alone: its limits are those of the real exchange, ten times over. */
const sandboxRoom = 10;

function sharedBudget(client: CcxtClient, { exchangeId, sandboxUrl }: ConnectOptions): RequestBudget {
  const key = `${exchangeId} ${client.id} ${sandboxUrl ?? ''}`;
  let budget = budgets.get(key);
  if (budget === undefined) {
    const limit = costPerMinute(client.id) ?? minuteMs / client.rateLimit; // as ccxt knows it
    budget = new RequestBudget(exchangeId === sandboxId ? limit * sandboxRoom : limit);
    budgets.set(key, budget);
  }
  return budget;
}

function createClient({ exchangeId, marketType, sandboxUrl, credentials }: ConnectOptions): CcxtClient {
  const ccxtId = ccxtIdOf(exchangeId, marketType);
  const constructor = exchangeListing(exchangeId) === null ? null : ccxtClass(ccxtId);
  if (constructor === null) throw new ExchangeError('rejected', `The exchange "${exchangeId}" is not known.`);
  const isBinance = ccxtId.startsWith('binance');
  const client = new constructor({
    enableRateLimit: false, // requests are paid from our own budget
    ...(credentials === undefined
      ? {}
      : {
          apiKey: credentials.key,
          secret: credentials.secret,
          ...(credentials.passphrase === null ? {} : { password: credentials.passphrase }),
        }),
    options: {
      defaultType: marketType === 'futures' ? 'swap' : 'spot',
      fetchCurrencies: false,
      ...(isBinance ? { fetchMarkets: { types: [marketType === 'futures' ? 'linear' : 'spot'] }, fetchMargins: false } : {}),
    },
  }) as CcxtClient;
  if (isBinance) client.stream = (_type, hash) => socketOfStream(hash);
  if (exchangeId === sandboxId) {
    if (sandboxUrl === undefined) throw new ExchangeError('rejected', 'The address of the sandbox is not known.');
    client.urls.test = sandboxUrls(client.urls.api, sandboxUrl);
    client.setSandboxMode(true);
    assertLoopback(client.urls.api);
    assertLoopback({ given: sandboxUrl });
  } else if (isTestnet(exchangeId)) client.setSandboxMode(true);
  return client;
}

/** ccxt finds market-specific errors by the real address only; at any other they would become nameless. */
function mergeExceptions(client: CcxtClient, marketType: MarketType): void {
  const own: ExceptionMaps | undefined = marketType === 'futures' ? client.exceptions.linear : client.exceptions.spot;
  if (own === undefined) return;
  client.exceptions = {
    ...client.exceptions,
    exact: { ...client.exceptions.exact, ...own.exact },
    broad: { ...client.exceptions.broad, ...own.broad },
  };
}

function payFromBudget(client: CcxtClient, budget: RequestBudget): void {
  const send = client.fetch2.bind(client);
  client.fetch2 = async (path, api, method, params, headers, body, config) => {
    await budget.take(client.calculateRateLimiterCost(api, method, path, params, config ?? {}));
    return await send(path, api, method, params, headers, body, config);
  };
}

/** An answer of status 2xx must be a whole JSON value of the expected shape; ccxt would continue with an empty result. */
function demandWholeAnswers(client: CcxtClient, budget: RequestBudget): void {
  const pass = client.onRestResponse.bind(client);
  const parse = client.parseJson.bind(client);
  let checked: { url: string; text: string } | null = null;
  client.onRestResponse = (...details) => {
    const [status, , url, , headers, body] = details;
    applyLimits(budget, status, url, headers, body);
    const text = pass(...details);
    checked = status >= 200 && status < 300 ? { url, text: body.slice(0, 80) } : null;
    return text;
  };
  // ccxt parses in the same turn of the event loop, so what was noted belongs to this answer.
  client.parseJson = (text) => {
    const expected = checked;
    checked = null;
    const value = parse(text);
    if (expected === null) return value;
    const fault =
      typeof value !== 'object' || value === null ? 'the answer is not complete JSON' : answerFault(client.id, expected.url, value);
    if (fault !== null) throw new BadResponse(`${client.id} ${expected.url}: ${fault}: ${expected.text}`);
    return value;
  };
}

function applyLimits(budget: RequestBudget, status: number, url: string, headers: Record<string, string>, body: string): void {
  const used = Number(headers['X-Mbx-Used-Weight-1m']);
  if (Number.isFinite(used)) budget.correct(used * weightUnits(url));
  if ((status !== 429 && status !== 418) || saysTooManyOrders(status, body)) return;
  const seconds = Number(headers['Retry-After']);
  const fallback = status === 418 ? 120 : 10;
  budget.pause((Number.isFinite(seconds) && seconds > 0 ? seconds : fallback) * secondMs);
}

/** The time limit covers the body too, and what comes out is always an error of ccxt. */
function limitTime(client: CcxtClient): void {
  const dispatcherOptions = client.getDispatcherOptions.bind(client);
  client.getDispatcherOptions = (plain) => ({
    ...dispatcherOptions(plain),
    headersTimeout: client.timeout,
    bodyTimeout: client.timeout,
  });
  const fetch = client.fetch.bind(client);
  client.fetch = async (url, method, headers, body) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const text = `${client.id} ${method ?? 'GET'} ${url}: the answer was not complete after ${client.timeout} ms`;
      timer = setTimeout(() => reject(new RequestTimeout(text)), client.timeout + 250); // ccxt's own limit comes first
    });
    try {
      return await Promise.race([fetch(url, method, headers, body), late]);
    } catch (error) {
      if (isCcxtError(error)) throw error;
      throw new NetworkError(`${client.id} ${method ?? 'GET'} ${url}: ${errorText(error)}`);
    } finally {
      clearTimeout(timer);
    }
  };
}
