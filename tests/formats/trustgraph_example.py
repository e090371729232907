"""A small export of TrustGraph: a document of two pages, two chunks, three facts, one question."""

EXTRACTED = """
@prefix tg: <https://trustgraph.ai/ns/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix dc: <http://purl.org/dc/elements/1.1/> .
@prefix ex: <http://example.org/> .

<https://example.org/report> a prov:Entity, tg:Document ;
    dc:title "Harbour report" ; dc:creator "Harbour office" ; dc:date "2025-01-15" ;
    tg:mimeType "application/pdf" ; tg:pageCount "2" .
<urn:page:1> a tg:Page ; prov:wasDerivedFrom <https://example.org/report> ;
    tg:pageNumber "1" ; tg:content "The quay is long." ;
    prov:wasGeneratedBy <https://trustgraph.ai/activity/decode> .
<urn:page:2> a tg:Page ; prov:wasDerivedFrom <https://example.org/report> ;
    tg:pageNumber "2" ; tg:content "Beta left. Gamma stayed." ;
    prov:wasGeneratedBy <https://trustgraph.ai/activity/decode> .
<https://trustgraph.ai/activity/decode> a prov:Activity ;
    prov:used <https://example.org/report> ;
    prov:wasAssociatedWith <https://trustgraph.ai/agent/pdf-decoder> ;
    tg:componentVersion "1.2" ; prov:startedAtTime "2026-03-13T10:00:00Z" .
<urn:chunk:1> a tg:Chunk ; prov:wasDerivedFrom <urn:page:2> ;
    tg:chunkIndex "1" ; tg:charOffset "0" ; tg:charLength "10" ; tg:content "Beta left." ;
    prov:wasGeneratedBy <https://trustgraph.ai/activity/cut> .
<urn:chunk:2> a tg:Chunk ; prov:wasDerivedFrom <urn:page:2> ;
    tg:chunkIndex "2" ; tg:charOffset "3" ; tg:charLength "13" ; tg:content "Gamma stayed." ;
    prov:wasGeneratedBy <https://trustgraph.ai/activity/cut> .
<https://trustgraph.ai/activity/cut> a prov:Activity ; prov:used <urn:page:2> ;
    prov:wasAssociatedWith <https://trustgraph.ai/agent/chunker> ;
    tg:componentVersion "1.2" ; tg:chunkSize "2000" ; prov:startedAtTime "2026-03-13T10:01:00Z" .
<https://trustgraph.ai/subgraph/1> a tg:Subgraph ; prov:wasDerivedFrom <urn:chunk:1> ;
    tg:contains << ex:beta ex:left "2020" >>, << ex:beta ex:says "a >> b"@en >> ;
    prov:wasGeneratedBy <https://trustgraph.ai/activity/extract> .
<https://trustgraph.ai/subgraph/2> a tg:Subgraph ; prov:wasDerivedFrom <urn:chunk:2> ;
    tg:contains << ex:beta ex:left "2020" >> .
<https://trustgraph.ai/activity/extract> a prov:Activity ; prov:used <urn:chunk:1> ;
    prov:wasAssociatedWith <https://trustgraph.ai/agent/kg-extract-relationships> ;
    tg:componentVersion "0.25.0" ; tg:llmModel "m-1" ; tg:ontology ex:onto .
"""
ASKED = """
@prefix tg: <https://trustgraph.ai/ns/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix ex: <http://example.org/> .

<urn:trustgraph:question:s> a prov:Entity, tg:Question, tg:GraphRagQuestion ;
    tg:query "When did Beta leave?" ; prov:startedAtTime "2026-04-01T10:00:00Z" .
<urn:trustgraph:prov:grounding:s> a tg:Grounding ;
    prov:wasDerivedFrom <urn:trustgraph:question:s> ; tg:concept "Beta", "leave" .
<urn:trustgraph:prov:exploration:s> a tg:Exploration ;
    prov:wasDerivedFrom <urn:trustgraph:prov:grounding:s> ; tg:edgeCount "50" .
<urn:trustgraph:prov:focus:s> a tg:Focus ;
    prov:wasDerivedFrom <urn:trustgraph:prov:exploration:s> ;
    tg:selectedEdge <urn:trustgraph:prov:edge:s:10>, <urn:trustgraph:prov:edge:s:2> .
<urn:trustgraph:prov:edge:s:2> tg:edge << ex:beta ex:left "2020" >> ;
    tg:reasoning "It says when." ; tg:score "0.9" .
<urn:trustgraph:prov:edge:s:10> tg:edge << ex:beta ex:knows ex:alpha >> .
<urn:trustgraph:prov:synthesis:s> a tg:Synthesis, tg:Answer ;
    prov:wasDerivedFrom <urn:trustgraph:prov:focus:s> ;
    tg:content "In 2020. [1]" ; tg:llmModel "m-1" ; tg:inToken "12" .
"""
