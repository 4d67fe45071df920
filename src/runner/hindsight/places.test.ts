import { expect, test } from 'vitest';
import { NoPlace, Places } from './places.ts';

const never = new AbortController().signal;

test('so many work at a time; the others go in the sequence in which they came, and the queue has an end', async () => {
  const places = new Places(2, 2);
  const went: string[] = [];
  const take = async (name: string) => places.take(never).then((leave) => (went.push(name), leave));
  const [first, second] = [await take('first'), await take('second')];
  const [third, fourth] = [take('third'), take('fourth')];
  await expect(places.take(never)).rejects.toBeInstanceOf(NoPlace);
  first();
  first(); // leaving twice frees one place
  (await third)();
  await fourth;
  second();
  await take('fifth');
  expect(went).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
});

test('who gives up leaves the queue, and the place goes to the next', async () => {
  const places = new Places(1, 5);
  const leave = await places.take(never);
  const over = new AbortController();
  const impatient = places.take(over.signal);
  const patient = places.take(never);
  over.abort(new Error('gone'));
  await expect(impatient).rejects.toThrow('gone');
  leave();
  (await patient)();
  await expect(places.take(over.signal)).rejects.toThrow('gone');
  (await places.take(never))();
});
