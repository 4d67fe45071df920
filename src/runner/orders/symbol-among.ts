import { currenciesOf } from '#engine/account/fill.ts';

/**
 * The symbol among these that an exchange means. What it does not list any more it names by its own id alone, in which both currencies are one
 * word; any other name is the symbol itself.
 */
export function symbolAmong(symbols: readonly string[], name: string): string {
  const isMeant = (symbol: string): boolean => {
    const { base, quote } = currenciesOf(symbol);
    return `${base}${quote}` === name;
  };
  return symbols.find(isMeant) ?? name;
}
