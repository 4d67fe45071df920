import { useState } from 'react';
import { isSamePiece } from '../edit/same-piece.ts';

/** The value of before where the new one says the same: what depends on it is not drawn again. For small, plain data. */
export function useSame<Value extends object>(value: Value): Value {
  const [kept, keep] = useState(value);
  if (kept === value || isSamePiece(kept, value)) return kept;
  keep(value);
  return value;
}
