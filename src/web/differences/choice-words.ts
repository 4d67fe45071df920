import type { Choice } from '../live/use-differences.ts';

/** What a choice about a difference is called: on its card, on its button, and once it is done. */
export const choiceWords: Readonly<Record<Choice['how'], { title: string; button: string; done: string }>> = {
  adopt: {
    title: 'Adopt what the exchange says',
    button: 'Adopt',
    done: 'The trade is being corrected to what the account holds; its bot does it within seconds.',
  },
  ignore: { title: 'Ignore what is not ours', button: 'Ignore', done: 'The difference is ignored.' },
  close: { title: 'Close it', button: 'Close', done: 'The trade is being closed at market; its bot does it within seconds.' },
};
