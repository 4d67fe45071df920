import { errorText } from '#engine/ports/error-text.ts';
import type { Balance } from '#engine/ports/trading.ts';
import type { AccountClient } from './account-client.ts';
import { numberOf, rowOf, rowsOf, textOf } from './rows/answer-row.ts';

/**
 * The balances of a USD-M account. Its stream names wallets only, which do not say what is free: when it reports a change, they are
 * read by REST.
 */
export class FuturesBalances {
  readonly #account: AccountClient;
  readonly #report: (balance: Balance) => void;
  readonly #log: (message: string) => void;
  #isReading = false;
  #hasChanged = false;
  #hasEnded = false;

  constructor(account: AccountClient, report: (balance: Balance) => void, log: (message: string) => void) {
    this.#account = account;
    this.#report = report;
    this.#log = log;
  }

  /** Fails: ExchangeError */
  read(): Promise<Balance[]> {
    return this.#account.read('its balances', async () =>
      rowsOf(rowOf(await this.#account.ccxt.fapiPrivateV3GetAccount({}))['assets']).map((row) => ({
        currency: textOf(row, 'asset'),
        free: numberOf(row, 'availableBalance'),
        locked: numberOf(row, 'openOrderInitialMargin'),
      })),
    );
  }

  /** Reads and reports them; changes that come meanwhile are read once, afterwards. */
  reportSoon(): void {
    this.#hasChanged = true;
    if (!this.#isReading) void this.#readAndReport();
  }

  end(): void {
    this.#hasEnded = true;
  }

  async #readAndReport(): Promise<void> {
    this.#isReading = true;
    while (this.#hasChanged && !this.#hasEnded) {
      this.#hasChanged = false;
      try {
        for (const balance of await this.read()) this.#report(balance);
      } catch (error) {
        this.#log(errorText(error)); // whoever needs the balances asks for them
      }
    }
    this.#isReading = false;
  }
}
