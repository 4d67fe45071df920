/**
 * The numbers of orders asked of Bitfinex for each side of a book. ccxt asks for its raw book, a row for each order: of 25 orders, which it
 * gives too, few levels may be left.
 *
 * Source: docs.bitfinex.com, ws public raw books: a length of 1, 25, 100 or 250
 */
export const rawBookLengths: readonly number[] = [100, 250];
