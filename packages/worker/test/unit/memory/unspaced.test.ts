import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../../src/storage/schema.ts';
import { USER_MIGRATIONS } from '../../../src/user/schema.ts';
import { Memories } from '../../../src/user/memory/memories.ts';
import { nodeSql } from '../support/node-sql.ts';
import { byAgent, newSight, newStore } from './support.ts';

const contents = (found: readonly { content: string }[]) => found.map(({ content }) => content);

describe('a language that is written without spaces', () => {
  it.each([
    ['Chinese', '数据库迁移需要先备份', ['数据库', '迁移', '备份', '库', '份', '先备']],
    [
      'Japanese',
      '本番サーバーのバックアップは毎晩取る',
      ['バックアップ', 'サーバー', 'ﾊﾞｯｸｱｯﾌﾟ', '毎晩', '取'],
    ],
    ['Korean', '데이터베이스를 먼저 백업한다', ['데이터베이스', '백업', '베이스']],
    ['Thai', 'ต้องสำรองฐานข้อมูลก่อน', ['ฐานข้อมูล', 'สำรอง']],
    ['Lao', 'ຕ້ອງສຳຮອງຖານຂໍ້ມູນກ່ອນ', ['ຖານຂໍ້ມູນ']],
    ['Khmer', 'ត្រូវបម្រុងទុកទិន្នន័យ', ['ទិន្នន័យ']],
    ['Burmese', 'ဒေတာဘေ့စ်ကိုအရန်သိမ်းပါ', ['ဒေတာဘေ့စ်']],
  ])('[MEM17] is searched by any part of a sentence: %s', (_language, content, questions) => {
    const { memories } = newStore();
    const sight = newSight();
    for (const other of [
      'The tests take long.',
      '天気',
      '오늘',
      'เช้า',
      'ເຊົ້າ',
      'ព្រឹក',
      'မနက်',
    ]) {
      memories.store(byAgent(sight, other));
    }
    memories.store(byAgent(sight, content));
    for (const q of questions) {
      expect(contents(memories.recall(sight, q, undefined, 1)), q).toEqual([content]);
      expect(contents(memories.list({ q, limit: 1 }).memories), q).toEqual([content]);
    }
  });

  it('[MEM17] what has more of the question comes first', () => {
    const { memories, clock } = newStore();
    const sight = newSight();
    for (const content of [
      '数据库迁移需要先备份 with pg_dump',
      '数据结构在文档里',
      '部署在夜里进行',
      'tests run with vitest',
    ]) {
      clock.now += 1000;
      memories.store(byAgent(sight, content));
    }
    const asked = (q: string) => contents(memories.recall(sight, q, undefined, 9));
    expect(asked('请为数据库写一个迁移')).toEqual([
      '数据库迁移需要先备份 with pg_dump',
      '数据结构在文档里',
    ]);
    expect(asked('pg_dump 备份')).toEqual(['数据库迁移需要先备份 with pg_dump']);
    expect(asked('天气')).toEqual([]);
    expect(contents(memories.give(sight, '夜里部署'))[0]).toBe('部署在夜里进行');
  });

  it('[MEM17] every part of any such text is found, from one character on', () => {
    const letters = fc.constantFrom(...'数据库迁移バックーのひら한국어กขคฐ々');
    const text = fc.array(letters, { minLength: 1, maxLength: 40 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (content, from, size) => {
        const { memories } = newStore();
        const sight = newSight();
        memories.store(byAgent(sight, `see ${content}.`));
        const start = from % content.length;
        const part = content.slice(start, start + 1 + (size % (content.length - start)));
        expect(memories.recall(sight, part, undefined, 1), part).toHaveLength(1);
      }),
    );
  });

  it('[MEM17] a change is found by its new words and no more by its old ones', () => {
    const { memories } = newStore();
    const sight = newSight();
    const { memory } = memories.store(byAgent(sight, '数据库在柏林'));
    const asked = (q: string) => memories.recall(sight, q, undefined, 5).length;
    expect([asked('柏林'), asked('巴黎')]).toEqual([1, 0]);
    memories.update(memory.id, { content: '数据库在巴黎' });
    expect([asked('柏林'), asked('巴黎')]).toEqual([0, 1]);
    memories.remove(memory.id);
    memories.store(byAgent(sight, 'another'));
    expect(asked('巴黎')).toBe(0);
  });

  it('[MEM17] what was stored before there was such an index is found', () => {
    const sql = nodeSql();
    migrate(sql, USER_MIGRATIONS.slice(0, 3));
    for (const [n, content] of ['数据库迁移需要先备份', 'Deploys run at night.'].entries()) {
      sql.run(
        `INSERT INTO memories (id, scope, key, fingerprint, content, tags, author, created_at, updated_at, uses)
         VALUES (?, 'user', '', ?, ?, '["発行"]', 'person', 0, 0, 0)`,
        `mem_${`${n}`.repeat(22)}`,
        content,
        content,
      );
    }
    migrate(sql, USER_MIGRATIONS);
    const memories = new Memories({ sql, now: () => 0, sha256: (t) => t, redact: (t) => t });
    const asked = (q: string) => contents(memories.list({ q, limit: 5 }).memories);
    expect(asked('数据库')).toEqual(['数据库迁移需要先备份']);
    expect(asked('deploying')).toEqual(['Deploys run at night.']);
    expect(asked('発行')).toHaveLength(2);
  });
});
