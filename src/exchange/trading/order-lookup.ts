import { OrderNotFound } from 'ccxt';
import { type Row, rowOf } from './rows/answer-row.ts';

/** The answer to a look-up, or null when the exchange says that there is no such order. */
export async function foundOrNull(answer: Promise<unknown>): Promise<Row | null> {
  try {
    return rowOf(await answer);
  } catch (error) {
    if (error instanceof OrderNotFound) return null;
    throw error;
  }
}
