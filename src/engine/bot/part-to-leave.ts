/** A part of a trade that is to be left as soon as its stop is out of the way. */
export interface PartToLeave {
  amount: number; // base currency
  tag: string;
  until: number; // ms
  restOf?: string; // the order that has to be filled before, because the exchange takes none for all of it
}
