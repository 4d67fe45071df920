import type { ManualAction } from './by-hand-words.ts';

/** What a question by hand asks for, as it is listed once it was taken in. */
export type Wish = Partial<Pick<ManualAction, 'symbol' | 'direction' | 'stake' | 'share' | 'stop_price'>> & Pick<ManualAction, 'kind'>;

/** What a question has sent without an answer. */
export interface Sent {
  wishes: readonly Wish[];
  before: readonly ManualAction[]; // what had been asked for before the first of them
}

/** The action that a question of this person has made: it asks for what was sent, and was not there before. */
export function askedByMe(actions: readonly ManualAction[], { wishes, before }: Sent): ManualAction | null {
  const isWish = (action: ManualAction) =>
    wishes.some((wish) => Object.entries(wish).every(([field, value]) => action[field as keyof Wish] === value));
  const isNew = ({ action_id: id }: ManualAction) => before.every(({ action_id: old }) => old !== id);
  return actions.find((action) => action.asked_by_you && isWish(action) && isNew(action)) ?? null;
}
