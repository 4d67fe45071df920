import type { NewAlarm, OpenAlarm } from '#storage/alarms/alarms.ts';
import { takeNewAlarm } from '#storage/alarms/alarms.ts';
import type { Database } from '#storage/database.ts';
import { alarmModes, noticeAlarm } from '#storage/channels/channel-messages.ts';
import { addMail } from '#storage/mails/mail-outbox.ts';
import { addChatMessage } from '#storage/trades/trade-messages.ts';
import { listAlarmReaders } from '#storage/alarms/alarm-readers.ts';
import type { AlarmWords } from './alarm-words.ts';
import { alarmWords } from './alarm-words.ts';
import { alarmNotice, alarmTopic } from './notice-texts.ts';
import { plainName } from './plain-name.ts';
import { mails } from './texts.ts';

/** What an alarm is about, as a sentence begins with it. */
export function alarmSubject({ level, targetName }: Pick<OpenAlarm, 'level' | 'targetName'>): string {
  if (level === 'server') return 'Whole server';
  return level === 'bot' ? `Bot ${targetName ?? ''}` : `All bots of ${targetName ?? ''}`;
}

/**
 * Leaves the mails of new alarms for those they concern, and the messages for their channels and the chats of their bots. An alarm and its mails cannot
 * be lost: it is taken in the transaction that writes them, and by one process only; within the pause after a mail they are owed.
 */
export async function mailNewAlarms(db: Database): Promise<void> {
  while (await db.transaction().execute(mailOne));
}

async function mailOne(trx: Database): Promise<boolean> {
  const alarm = await takeNewAlarm(trx);
  if (alarm === null) return false;
  const subject = alarmSubject(alarm);
  const words = alarmWords({ ...alarm, subject });
  const topic = alarmTopic(alarm.kind);
  if (topic !== null && alarm.isNotice) await noticeAlarm(trx, alarm, alarmNotice(topic, await alarmModes(trx, alarm), words));
  if (!alarm.mayMail) return true;
  const mail = withOthers(words, alarm, subject);
  for (const recipient of await listAlarmReaders(trx, alarm)) await addMail(trx, mails.alarm(recipient, mail));
  // A chat takes no long message, and would hold up those that follow.
  const brief = [words.what, ...moreLike('it', alarm.others.length)].join(' ');
  if (alarm.level === 'bot' && alarm.targetId !== null) await addChatMessage(trx, alarm.targetId, plainName(`${words.title}. ${brief}`));
  return true;
}

/** The words for an alarm with those that are mailed with it: the first of them, how many there are besides, and what to do about each. */
function withOthers(words: AlarmWords, { kind, others }: NewAlarm, subject: string): AlarmWords {
  const like = others.map((facts) => alarmWords({ kind, subject, facts }));
  const named = like.slice(0, mostNamed).map(({ what }) => what);
  return {
    ...words,
    what: [words.what, ...named, ...moreLike('these', like.length - named.length)].join(' '),
    advice: [...new Set([words, ...like].map(({ advice }) => advice))].join(' '),
  };
}

function moreLike(what: 'it' | 'these', count: number): string[] {
  return count === 0 ? [] : [`And ${count.toLocaleString('en')} more like ${what}.`];
}

const mostNamed = 5;
