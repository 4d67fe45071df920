import { errorText } from '#engine/ports/error-text.ts';
import type { Credentials } from '#engine/ports/credentials.ts';
import type { MarketData } from '#engine/ports/market-data.ts';
import type { Trading } from '#engine/ports/trading.ts';
import { CommandError, complainToStandardError, exitCodeOf, type Say } from '../command-error.ts';
import { type SandboxProcess, startSandboxProcess } from '../download/sandbox-process.ts';
import { type CommandDescription, type CommandOption, readOptions } from '../options.ts';
import type { CheckResult } from './check.ts';
import { askFor, askSecretly, sandboxCredentials } from './key-prompt.ts';
import { multiple, Probe } from './probe.ts';
import { runChecks } from './run-checks.ts';

const description = {
  name: 'exchange-check',
  summary: 'Tries what live trading relies on at an exchange, with a key of yours and orders of the smallest amount.',
  options: {
    exchange: { values: 'one', placeholder: 'ID', help: 'e.g. binance, binance_testnet, or sandbox for the simulated market' },
    market: { values: 'one', placeholder: 'MARKET', help: 'spot or futures (default spot)' },
    pair: { values: 'one', placeholder: 'PAIR', help: 'what is bought and sold (default ETH/USDT, or ETH/USDT:USDT)' },
    confirm: { values: 'one', placeholder: 'ID', help: 'the id of the exchange once more, instead of the question' },
  },
  examples: ['npm run -s flotilla -- exchange-check --exchange sandbox --market futures --confirm sandbox'],
} as const satisfies CommandDescription<Record<string, CommandOption>>;

/** The environment's names of the key; it is never an argument, because other users of the machine see those. */
const keyName = 'FLOTILLA_EXCHANGE_KEY';
const secretName = 'FLOTILLA_EXCHANGE_SECRET';

/** Ctrl-C, `kill`, and a terminal that is closed. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const ignore = (): void => {};

/** What the command needs from its caller. */
export interface ExchangeCheckDependencies {
  env: Readonly<Record<string, string | undefined>>;
  sandboxUrl: string | null; // of a sandbox that runs already; else one is started when it is wanted
  version: string; // of the product
}

/** Runs the checks and prints a table of them. 0: every assumption holds or could not be tried; else 1 */
export async function exchangeCheckCommand(words: readonly string[], say: Say, dependencies: ExchangeCheckDependencies): Promise<number> {
  return await exitCodeOf(say, complainToStandardError, async () => {
    const wish = readWish(words);
    const stop = { aborted: false };
    const interrupt = (): void => void (stop.aborted = true);
    for (const signal of endings) process.on(signal, interrupt);
    // A terminal that was closed, or a program that reads no further, must not end this while something is open.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', ignore);
    let sandbox: SandboxProcess | null = null;
    let market: MarketData | null = null;
    let trading: Trading | null = null;
    try {
      if (wish.exchange === 'sandbox' && dependencies.sandboxUrl === null) sandbox = await startSandboxProcess();
      const sandboxUrl = dependencies.sandboxUrl ?? sandbox?.url;
      const where = { exchangeId: wish.exchange, marketType: wish.market, ...(sandboxUrl === undefined ? {} : { sandboxUrl }) } as const;
      const credentials = await credentialsFor(wish.exchange, dependencies.env, sandboxUrl);
      const [{ createMarketData }, { createTrading }] = await Promise.all([
        import('#exchange/market-data.ts'),
        import('#exchange/trading/create-trading.ts'),
      ]);
      market = createMarketData(where);
      const instrument = await market.instrument(wish.pair);
      if (instrument === null) throw new CommandError(`${wish.exchange} has no ${wish.market} instrument ${wish.pair}.`);
      trading = await createTrading({ ...where, accountId: 'exchange-check', credentials, log: complainToStandardError });
      const probe = new Probe({ trading, market, instrument, exchangeId: wish.exchange, sandboxUrl, stop });
      await confirm(probe, wish, say);
      await demandNothingOpen(probe);
      const results = await runChecks(probe, ({ result, assumption, seen }) => say(`${result.padEnd(8)} ${assumption}: ${seen}`));
      for (const line of tableOf(results, wish, dependencies.version)) say(line);
      return results.some(({ result }) => result === 'failed') ? 1 : stop.aborted ? 130 : 0;
    } finally {
      await trading?.close();
      await market?.close();
      await sandbox?.stop();
      for (const signal of endings) process.off(signal, interrupt);
    }
  });
}

interface Wish {
  exchange: string;
  market: 'spot' | 'futures';
  pair: string;
  confirm: string | undefined;
}

function readWish(words: readonly string[]): Wish {
  const { exchange, market = 'spot', pair, confirm: given } = readOptions(words, description);
  if (exchange === undefined) throw new CommandError('Give an exchange: --exchange ID.');
  if (market !== 'spot' && market !== 'futures') throw new CommandError(`--market must be spot or futures, and is "${market}".`);
  return { exchange, market, pair: pair ?? (market === 'spot' ? 'ETH/USDT' : 'ETH/USDT:USDT'), confirm: given };
}

async function credentialsFor(
  exchange: string,
  env: ExchangeCheckDependencies['env'],
  sandboxUrl: string | undefined,
): Promise<Credentials> {
  const [key, secret] = [env[keyName], env[secretName]];
  if (key !== undefined && secret !== undefined) return { key, secret, passphrase: null };
  if (exchange === 'sandbox' && sandboxUrl !== undefined) return await sandboxCredentials(sandboxUrl);
  if (!process.stdin.isTTY) throw new CommandError(`Give the key in the environment: ${keyName} and ${secretName}.`);
  return { key: await askSecretly('API key: '), secret: await askSecretly('Secret: '), passphrase: null };
}

/** Fails: CommandError without a yes */
async function confirm(probe: Probe, { exchange, market, confirm: given }: Wish, say: Say): Promise<void> {
  const quote = await probe.quote();
  const cost = multiple(probe.smallestAmount(quote) * quote.ask, 0.01, 'up');
  say(
    `This places about 12 orders of ${cost} ${probe.instrument.quote} in ${probe.symbol} on your ${market} account at ${exchange}, one at a time,`,
  );
  say('and sells again what it buys. It costs the fees, and what the price does meanwhile. What else is in the account is not touched.');
  if (given === undefined && !process.stdin.isTTY) throw new CommandError(`Confirm with --confirm ${exchange}.`);
  const answer = given ?? (await askFor(`Type ${exchange} to begin: `));
  if (answer.trim() !== exchange) throw new CommandError('Not confirmed; nothing was done.');
}

/** What is there already could be mistaken for what the check has made. Fails: CommandError */
async function demandNothingOpen(probe: Probe): Promise<void> {
  const { trading, symbol } = probe;
  const open = await trading.openOrders(symbol);
  const held = (await trading.positions()).some((position) => position.symbol === symbol);
  if (open.length > 0 || held)
    throw new CommandError(`The account has open orders or a position in ${symbol}. Close them, or choose another --pair.`);
  probe.lastFillBefore = (await trading.fillsSince(symbol, null)).at(-1)?.id ?? null;
}

/** The results as a table for an issue; nothing in it is secret. */
function tableOf(results: readonly CheckResult[], { exchange, market, pair }: Wish, version: string): string[] {
  const cell = (text: string) => errorText(text).replaceAll(/\s+/gu, ' ').replaceAll('|', '\\|');
  const count = (result: CheckResult['result']) => results.filter((each) => each.result === result).length;
  return [
    '',
    `exchange-check of ${exchange}, ${market}, ${pair}, Flotilla ${version}, ${new Date().toISOString()}:`,
    `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
    '',
    '| assumption | result | seen |',
    '| --- | --- | --- |',
    ...results.map(({ assumption, result, seen }) => `| ${cell(assumption)} | ${result} | ${cell(seen)} |`),
  ];
}
