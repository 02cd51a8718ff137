import Testing

@testable import HTTPFront

struct PageTemplateTests {
    @Test func `text in a gap stays text`() {
        let template = PageTemplate(#"<p title="{{a}}">{{b}}</p>"#, filling: ["a": #"" onclick='x'"#])
        let page = String(decoding: template.page(["b": "<script>&\0"]), as: UTF8.self)
        #expect(page == #"<p title="&quot; onclick=&#39;x&#39;">&lt;script&gt;&amp;\#u{FFFD}</p>"#)
    }

    @Test func `a gap in a value isn't filled`() {
        let template = PageTemplate("{{a}}{{b}}", filling: ["a": "{{b}}"])
        #expect(template.gaps == ["b"])
        #expect(String(decoding: template.page(["b": "{{a}}"]), as: UTF8.self) == "{{b}}{{a}}")
    }

    @Test(arguments: ["", "{{", "}}", "a}}b{{c", "{ {a}}"])
    func `what is no gap is kept`(source: String) {
        #expect(String(decoding: PageTemplate(source, filling: [:]).page(), as: UTF8.self) == source)
    }
}
