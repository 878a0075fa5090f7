// Where sentences end, language by language. A row's expected borders are written into its text: '|' stands for a
// border with one space, '^' for a border without white space.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "text/sentence_splitter.h"

namespace dragoman::text {
namespace {

struct Row {
  const char* language;
  const char* marked;
};

std::string mark_borders(const Row& row) {
  std::string text;
  for (const char* c = row.marked; *c != '\0'; ++c) {
    if (*c != '^') text += *c == '|' ? ' ' : *c;
  }
  const SentenceSplitter splitter({.language = row.language});
  std::string marked;
  for (Sentence s = splitter.next(text, 0); !s.empty(); s = splitter.next(text, s.next)) {
    marked += text.substr(s.begin, s.end - s.begin);
    if (s.next < text.size()) marked += s.next > s.end ? "|" : "^";
  }
  return marked;
}

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO("language " << row.language);
    CHECK(mark_borders(row) == row.marked);
  }
}

TEST_CASE("sentences: language tags select the rules") {
  for (const char* tag : {"pt", "PT", "pt-BR", "pt_br", "por", "gl"}) CHECK(&rules_for(tag) == &kPortugueseRules);
  for (const char* tag : {"uk", "ukr", "ru-RU", "bg"}) CHECK(&rules_for(tag) == &kRussianRules);
  for (const char* tag : {"cs", "cze", "sk", "hr"}) CHECK(&rules_for(tag) == &kCzechRules);
  for (const char* tag : {"", "en", "xx", "ja", "-", "ptbr", "p", "\xFF", "en-US-x-a-very-long-tag"}) {
    CHECK(&rules_for(tag) == &kEnglishRules);
  }
}

TEST_CASE("sentences: English") {
  check({
      {"en", "Hello there.|How are you?|Fine!"},
      {"en", "Mr. Smith met Dr. Jones.|They talked."},
      {"en", "See No. 5 and Art. 3 on pp. 4 to 9.|Then stop."},
      {"en", "Is it a yes?|No.|It is late."},
      {"en", "No.|I went home."},
      {"en", "J. R. R. Tolkien wrote it.|It is long."},
      {"en", "J.R.R. Tolkien wrote it."},
      {"en", "The U.S. Army came."},
      {"en", "He lives in the U.S.|He left."},
      {"en", "Acme Inc. Chief Ann Lee spoke.|She works at Acme Inc.|The firm is big."},
      {"en", "It costs 3.14 dollars, or 1,000.5 a dozen.|Cheap!"},
      {"en", "We met at 5 p.m. in Rome.|We left at 6 a.m.|It rained."},
      {"en", "Bring e.g. Apples and pears, i.e. Fruit.|Thanks."},
      {"en", "E.g. Peter came."},
      {"en", "Wait... what?|Wait...|What?"},
      {"en", "You did what?!|Really!!!|Yes."},
      {"en", "\"Really?\" she asked.|\"Yes.\"|He nodded."},
      {"en", "(He left.)|She stayed (for once).|Fine."},
      {"en", "He said \xE2\x80\x9CStop.\xE2\x80\x9D|Then he ran."},
      {"en", "1. Open the box.|Read it."},
      {"en", "Do this: 1. Open the box.|Read it."},
      {"en", "a. First item"},
      {"en", "IV. Results"},
      {"en", "2.3. Method"},
      {"en", "It happened in 1999.|Then came 2000."},
      {"en", "Visit https://a.example/b.c?d=e.f!g.|Now."},
      {"en", "Open file.txt.|Use v1.2.3 of it.|Thanks"},
      {"en", "I use C#.|.NET is big."},
      {"en", "I like it.|iPhone sales fell."},
      {"en", "He left. and came back."},
      {"en", "It ended.[1]|Then it began.[23]|Good."},
      {"en", "**Bold.**|Plain."},
      {"en", "Nice.|- Thanks.|- Sure."},
      {"en", "Take vitamin C.|It helps."},
      {"en", "George W. Bush spoke."},
      {"en", "Apples, pears, etc. are fruit.|Fine etc.|The end."},
      {"en", "John Smith, Ph.D. Candidate"},
      {"en", "Born on Jan. 5 in St. Louis.|Moved in Feb.|The rest is known."},
      {"en", "What's new at 10:30?|Nothing."},
      {"en", "He asked, \"Why?\"|Then he left.|'Quoted.'|Next."},
      {"en", "Smith et al. (2005) showed it.|Q. What is it?|A. It is a cat."},
      {"en", "The company (formerly XYZ Corp.) was sold.|It was cheap."},
      {"en", "\"He left.\", she said.|(Really?)|No."},
      {"en", "Let's go!!!|3 people came.|Why?|4 reasons."},
      {"en", "Great!|😀 Thanks."},
      {"en", "No space.After this!One."},
      {"xx", "Unknown code.|Works as English, says Mr. Smith."},
      {"", "No code.|Works too."},
      {"EN_us", "Mr. Smith.|Yes."},
  });
}

TEST_CASE("sentences: German and Dutch") {
  check({
      {"de", "Das ist z. B. Gold.|Es glänzt."},
      {"de", "Das ist z.B. Gold, d. h. Metall."},
      {"de", "Am 3. Oktober 1990 kam er.|Sie ging."},
      {"de", "Im Jahr 1990 war es so.|Danach nicht."},
      {"de", "Es war 1990.|Danach kam er."},
      {"de", "Ludwig XIV. Enkel kam.|Er blieb."},
      {"de", "Siehe Abb. 3 und Nr. 7.|Gut."},
      {"de", "Dr. Müller und Prof. Weiß sind da.|Wo ist er?"},
      {"de", "Äpfel, Birnen usw. liegen da.|Der Tisch ist voll."},
      {"de", "„Halt.“|Er blieb stehen."},
      {"de", "»Halt.«|Er blieb stehen.|»Nein!«"},
      {"de", "Er kam.|»Nein«, sagte sie."},
      {"de", "Ich bin 25.|Sie ist 30."},
      {"de", "Das kostet 1.000,50 Euro.|Viel!"},
      {"nl", "Dhr. Jansen en mevr. De Vries kwamen.|Het regende."},
      {"nl", "Neem bijv. Appels.|Dat is a.u.b. Geen probleem."},
  });
}

TEST_CASE("sentences: Romance languages") {
  check({
      {"pt", "O Sr. Silva chegou.|A Dra. Costa saiu."},
      {"pt-BR", "Veja o art. 5 e a pág. 10.|É isso."},
      {"pt", "Ele mora na Av. Paulista.|É longe."},
      {"pt", "No séc. XIX era assim.|Hoje não."},
      {"pt", "Frutas, legumes, etc.|Tudo fresco."},
      {"pt", "Foi o que ele é.|Não sei."},
      {"es", "¿Qué tal?|¡Bien!|¿Y tú?"},
      {"es", "El Sr. García y la Dra. Ruiz viven en EE. UU. desde 1990.|Son felices."},
      {"es", "Vea la pág. 7 del vol. II.|Gracias."},
      {"fr", "« Oui. »|Il partit."},
      {"fr", "Vraiment ?|Oui !|M. Dupont et Mme Curie arrivent."},
      {"fr", "Jules César (100 av. J.-C.) vint.|Il vit."},
      {"fr", "Voir fig. 3, p. 12.|C'est clair."},
      {"fr", "Il dit « Viens ! » et partit.|Elle rit."},
      {"it", "Il Sig. Rossi e la Dott.ssa Bianchi.|Sono qui."},
      {"it", "Ad es. Roma è bella.|Pane, vino ecc.|Tutto buono."},
      {"it", "È così.|È vero."},
  });
}

TEST_CASE("sentences: Slavic languages and Greek") {
  check({
      {"pl", "Spotkał prof. Nowaka i dr. Kowalską.|Potem wyszli."},
      {"pl", "Było to 3. maja 1791 r. w Warszawie.|Tak było w 1791 r.|Potem nie."},
      {"cs", "Dne 5. května přišel.|Odešel 6. ledna."},
      {"cs", "Karel IV. Lucemburský vládl.|Byl králem."},
      {"ru", "А. С. Пушкин родился в г. Москва.|Он писал стихи."},
      {"ru", "Это было в 1999 г.|Он уехал."},
      {"ru", "Книги, газеты и т. д. лежат тут.|Книги и т.д.|Все новые."},
      {"ru", "«Да.»|Он ушёл.|— Нет!|— Почему?"},
      {"ru", "Это я.|Привет."},
      {"ru", "См. рис. 5 на стр. 7.|Понятно?"},
      {"el", "Τι κάνεις;|Καλά είμαι."},
      {"el", "Τι κάνεις\xCD\xBE|Ο κ. Παπαδόπουλος ήρθε."},
      {"el", "Ήρθε· έφυγε.|Τέλος."},
      {"en", "He came; She left."},
  });
}

TEST_CASE("sentences: scripts with stops of their own") {
  check({
      {"zh", "天黑了。^她走了！^真的？^真的。"},
      {"zh", "他说：“走吧。”^我点头。"},
      {"zh", "好吗?^是的!^走吧."},
      {"zh", "他有3.5米高。^很高。"},
      {"zh", "他说。^“走吧。”^我点头。"},
      {"zh", "真的（是的。）^好。"},
      {"ja", "「行こう。」と彼は言った。^彼は立った。"},
      {"ja", "えっ？と思った。^終わり。"},
      {"ja", "これはペンです。|それは本です。"},
      {"ko", "안녕하세요.|반갑습니다.|네.|알겠습니다."},
      {"hi", "डॉ. शर्मा आए।|वह गए॥|ठीक है।"},
      {"hi", "क्या हुआ?|कुछ नहीं।"},
      {"ar", "هل وصلت؟|نعم وصلت.|شكرا."},
      {"ar", "وصل د. محمد أمس.|هو طبيب."},
      {"ur", "وہ آیا۔|وہ گیا۔"},
      {"hy", "Նա եկավ։|Նա գնաց։"},
      {"am", "ሰላም ነው።|ደህና ነኝ።"},
      {"km", "គាត់មក។|គាត់ទៅ។"},
      {"he", "הוא בא.|היא הלכה?|כן!"},
      {"ka", "ის მოვიდა.|ის წავიდა."},
  });
}

}  // namespace
}  // namespace dragoman::text
