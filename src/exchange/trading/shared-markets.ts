import type { Dictionary, Market } from 'ccxt';
import { connect, type ConnectOptions } from '../connect.ts';
import type { AccountCcxt } from './account-ccxt.ts';

/** How long a list of instruments serves other accounts too, in ms. */
const maxAgeMs = 60_000;

/** The instruments of one exchange and market, loaded once for all accounts of this process: each list of its own would take tens of megabytes. */
export interface SharedMarkets {
  /** Gives an account the instruments, loaded again when they are older than a minute. Fails: with an error of ccxt */
  give(client: AccountCcxt): Promise<Dictionary<Market>>;
}

const lists = new Map<string, SharedMarkets>();

/** The instruments of an exchange and market. They are asked for without a key. */
export function sharedMarkets(options: Omit<ConnectOptions, 'credentials'>): SharedMarkets {
  const key = `${options.exchangeId} ${options.marketType} ${options.sandboxUrl ?? ''}`;
  const known = lists.get(key) ?? newList(options);
  lists.set(key, known);
  return known;
}

function newList(options: Omit<ConnectOptions, 'credentials'>): SharedMarkets {
  let loaded: { client: AccountCcxt; at: number } | null = null;
  let loading: Promise<AccountCcxt> | null = null;
  const load = async (): Promise<AccountCcxt> => {
    const client = connect(options).client as AccountCcxt;
    try {
      await client.loadMarkets();
      loaded = { client, at: performance.now() };
      return client;
    } finally {
      await client.close();
    }
  };
  return {
    async give(client) {
      const isNew = loaded !== null && performance.now() - loaded.at < maxAgeMs;
      loading ??= (isNew && loaded !== null ? Promise.resolve(loaded.client) : load()).finally(() => (loading = null));
      client.setMarketsFromExchange(await loading);
      return client.markets ?? {};
    },
  };
}
