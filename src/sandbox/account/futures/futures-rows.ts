import { AccountRows } from '../account-rows.ts';
import type { AccountEvent } from '../account-event.ts';
import type { Store, Table } from '../store.ts';
import type { AlgoOrder } from './algo-order.ts';
import type { FuturesPosition } from './position.ts';

/** Why money has moved. */
export type IncomeType = 'REALIZED_PNL' | 'COMMISSION' | 'FUNDING_FEE' | 'INSURANCE_CLEAR';

/** One movement of money. */
export interface Income {
  id: number;
  symbol: string;
  type: IncomeType;
  asset: string;
  amount: bigint;
  tradeId: number; // 0 without
  time: number;
}

/** The rows of a USD-M account. Its balances are wallets: what is free holds all of it, margin included. */
export class FuturesRows extends AccountRows {
  readonly positions: Table<FuturesPosition>;
  readonly algos: Table<AlgoOrder>;
  readonly doneAlgos: Table<AlgoOrder>;
  readonly income: Table<Income>;
  readonly #report: (event: AccountEvent) => void;

  constructor(store: Store, name: string, report: (event: AccountEvent) => void) {
    super(store, name, report);
    this.positions = store.table(`positions ${name}`);
    this.algos = store.table(`algos ${name}`);
    this.doneAlgos = store.table(`done algos ${name}`);
    this.income = store.table(`income ${name}`);
    this.#report = report;
  }

  /** The position of a symbol, or an empty one with cross margin and the leverage of a new account. */
  position(symbol: string): FuturesPosition {
    return this.positions.get(symbol) ?? { symbol, amount: 0n, cost: 0n, isolated: 0n, leverage: 20, marginType: 'cross', updateTime: 0 };
  }

  /** The positions that hold something. */
  held(): FuturesPosition[] {
    return [...this.positions.rows()].filter(({ amount }) => amount !== 0n);
  }

  /** Adds to a wallet, at most down to nothing: what is missing comes from the insurance of the exchange. */
  pay(income: Omit<Income, 'id'>): void {
    if (income.amount === 0n) return;
    const { free } = this.balance(income.asset);
    const missing = free + income.amount < 0n ? -(free + income.amount) : 0n;
    this.move(income.asset, income.amount + missing);
    this.#note(income);
    if (missing > 0n) this.#note({ ...income, type: 'INSURANCE_CLEAR', amount: missing });
  }

  putAlgo(algo: AlgoOrder): void {
    const isOpen = algo.status === 'NEW';
    this.algos.put(String(algo.id), isOpen ? algo : null);
    if (!isOpen) this.doneAlgos.put(String(algo.id), algo);
  }

  algoById(id: number): AlgoOrder | undefined {
    return this.algos.get(String(id)) ?? this.doneAlgos.get(String(id));
  }

  algoByClientId(clientAlgoId: string): AlgoOrder | undefined {
    const isMeant = (algo: AlgoOrder) => algo.clientAlgoId === clientAlgoId;
    return [...this.algos.rows()].find(isMeant) ?? [...this.doneAlgos.rows()].findLast(isMeant);
  }

  reportAlgo(algo: AlgoOrder, time: number): void {
    this.#report({ kind: 'algo', algo, time });
  }

  /** Reports wallets and positions after they have changed. */
  reportAccount(reason: string, assets: readonly string[], positions: readonly FuturesPosition[], time: number): void {
    const isolated = (asset: string) =>
      this.held().reduce((sum, { symbol, isolated: own }) => (symbol.endsWith(asset) ? sum + own : sum), 0n);
    const wallets = assets.map((asset) => {
      const wallet = this.balance(asset).free;
      return { asset, wallet, cross: wallet - isolated(asset) };
    });
    this.#report({ kind: 'account', reason, wallets, positions: [...positions], time });
  }

  #note(income: Omit<Income, 'id'>): void {
    const id = this.next('incomes');
    this.income.put(String(id), { ...income, id });
  }
}
