/** A part of a trade that is to be left as soon as its stop is out of the way. */
export interface PartToLeave {
  amount: number; // base currency
  tag: string;
  until: number; // ms
}
